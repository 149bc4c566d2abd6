#include "kernels/solver/solver_machine.hpp"

#include <string_view>

#include "kernels/cpu/processor.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/this_probe.hpp"
#include "selector/models/profile.hpp"
#include "selector/models/profile_file.hpp"

namespace tilespmv::solver {
namespace {

SolverMachine as_profiled(const SolverMachine& machine, std::string_view name) {
    SolverMachine profiled = machine;
    visit_profiles({}, name, [&](const FoundProfile& found) {
        profiled = with_measured_rates(machine, found.profile->probe);  // measured, whatever its models are worth
        return true;
    });
    return profiled;
}

}  // namespace

SolverMachine solver_machine(Backend backend, std::size_t value_bytes) {
    if (backend == Backend::cpu) return as_profiled(cpu_solver_machine(), cpu::processor_name());
    const auto device = cuda::require_device();
    return as_profiled(gpu_solver_machine(cuda::gpu_to_choose_for(value_bytes).tuning.memory), device.name);
}

}  // namespace tilespmv::solver
