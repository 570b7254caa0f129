#pragma once
// libcrypto's EVP interface: message digests by name.
#include <openssl/evp.h>
