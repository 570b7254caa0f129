#pragma once
// zlib: the undoing of content codings (inflate).
#include <zlib.h>

// inflateInit2 is a macro. 32 more than the largest window finds out by itself whether the data has a gzip or a zlib head.
static inline int czlib_inflate_init(z_streamp stream) { return inflateInit2(stream, 32 + MAX_WBITS); }
