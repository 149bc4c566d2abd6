#pragma once

namespace tilespmv::testing {

/// Calls of operator new in a program that is built with `counting_new.cpp`.
long allocations_so_far();

}  // namespace tilespmv::testing
