// xxhash.h, compiled into the file that includes this.
#pragma once

// g++ 12 warns about "undefined" vectors in its own AVX-512 header.
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>
