#pragma once

#include <cstddef>

#include "kernels/registry.hpp"
#include "kernels/solver/options.hpp"
#include "kernels/solver/solver_model.hpp"

namespace tilespmv::solver {

/// What models of solves know of the CPU or of the current GPU, for values of so many bytes. Throws `Error`,
/// `unavailable` without a GPU.
SolverMachine solver_machine(Backend backend, std::size_t value_bytes);

/// The recurrence that was chosen.
Method method_of(const RecurrenceChoice& choice);

}  // namespace tilespmv::solver
