#include "kernels/solver/solver_machine.hpp"

#include "kernels/cuda/this_gpu.hpp"

namespace tilespmv::solver {

SolverMachine solver_machine(Backend backend, std::size_t value_bytes) {
    if (backend == Backend::cpu) return cpu_solver_machine();
    return gpu_solver_machine(cuda::this_gpu(value_bytes).tuning.memory);
}

}  // namespace tilespmv::solver
