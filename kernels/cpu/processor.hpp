#pragma once

#include <string>

namespace tilespmv::cpu {

/// What tells one processor from another, and from itself with more threads of OpenMP or, if it is held to those of an
/// older instruction set, with other vectors: "NAME, 2 threads", "NAME, 2 threads, avx2".
std::string processor_name();

}  // namespace tilespmv::cpu
