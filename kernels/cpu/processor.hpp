#pragma once

#include <string>

namespace tilespmv::cpu {

/// What tells one processor from another, and from itself with more threads of OpenMP: "NAME, 2 threads".
std::string processor_name();

}  // namespace tilespmv::cpu
