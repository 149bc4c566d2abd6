#pragma once

#include <span>

namespace tilespmv::multi_gpu {

/// Opens the first of these files, for as long as the program runs, which is NCCL's shared library: of 200 MB that only
/// GPUs need that do not reach each other's memory. Throws `Error`, `unavailable`, if there is none.
void* load_nccl(std::span<const char* const> files);

/// A function of an open library. Throws `Error`, `unavailable`, if it lacks it.
void* find_in_nccl(void* library, const char* function);

}  // namespace tilespmv::multi_gpu
