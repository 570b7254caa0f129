#pragma once
// libdeflate: block sums, the same as zlib's crc32 in a fifth of the time.
#include <libdeflate.h>
