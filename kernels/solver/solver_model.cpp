#include "kernels/solver/solver_model.hpp"

#include <fmt/format.h>

namespace tilespmv {
namespace {

/// Vectors of a system: x, r, w, s, p, q, b and the diagonal of M.
constexpr double kVectors = 8;

constexpr double kIndexBytes = 4, kPointerBytes = 8;  ///< of CSR

bool stays_in_cache(const IteratedSystem& system, const SolverMachine& machine) {
    return system.matrix_bytes + kVectors * system.rows * system.value_bytes <= machine.cache_bytes;
}

std::string microseconds(double seconds) { return fmt::format("{:.3g}", seconds * 1e6); }

/// What the faster one gains by.
std::string_view gain(const RecurrenceChoice& choice, const IteratedSystem& system) {
    if (!choice.is_chronopoulos_gear) return "moves fewer values of vectors";
    if (system.is_over_ranks) return "adds over ranks once an iteration instead of twice";
    return system.is_persistent ? "waits for one reduction instead of two" : "has one launch fewer to wait for";
}

std::string why(const RecurrenceChoice& choice, const IteratedSystem& system) {
    const auto& taken = choice.is_chronopoulos_gear ? choice.chronopoulos_gear : choice.textbook;
    const auto& other = choice.is_chronopoulos_gear ? choice.textbook : choice.chronopoulos_gear;
    if (taken.total() == other.total()) return "which keeps a vector less and takes as long";
    if (taken.waits == 0) return fmt::format("which {}", gain(choice, system));  // nobody knows its bandwidth
    return fmt::format("which {}: predicted {} us an iteration instead of {}", gain(choice, system),
                       microseconds(taken.total()), microseconds(other.total()));
}

}  // namespace

SolverMachine gpu_solver_machine(const MemoryTuning& memory) {
    return {.cache_bytes = memory.l2_bytes,
            .cached_launch_seconds = memory.launch_seconds,
            .cached_bytes_per_s = memory.l2_bytes_per_s,
            .launch_seconds = memory.graph_launch_seconds,
            .bytes_per_s = memory.copy_bytes_per_s,
            .meeting_seconds = memory.meeting_seconds,
            .rank_sum_seconds = memory.peer_sum_seconds};
}

SolverMachine cpu_solver_machine() { return {}; }

double csr_bytes(double rows, double nonzeros, double value_bytes) {
    return nonzeros * (value_bytes + kIndexBytes) + rows * kPointerBytes;
}

RecurrenceShape chronopoulos_gear_shape(bool fuses_diagonal) {
    // Updates: w, s, p, q, x, r read, p, q, x, r written; M: a diagonal read and w written, or r read, too; r, w, s.
    return fuses_diagonal ? RecurrenceShape{3, 2, 1, 10 + 2 + 3} : RecurrenceShape{4, 2, 1, 10 + 2 + 3};
}

RecurrenceShape textbook_shape(bool fuses_diagonal) {
    // p: w, p read, p written; p, q; x, r: x, p, r, q read, x, r written; M as above; r, w once more if M stands alone.
    return fuses_diagonal ? RecurrenceShape{4, 3, 2, 3 + 2 + 6 + 2} : RecurrenceShape{6, 3, 2, 3 + 2 + 6 + 2 + 2};
}

IterationTime predict_iteration(const RecurrenceShape& shape, const IteratedSystem& system,
                                const SolverMachine& machine) {
    const bool is_cached = stays_in_cache(system, machine);
    const double bandwidth = is_cached ? machine.cached_bytes_per_s : machine.bytes_per_s;
    const double product = system.matrix_bytes / bandwidth;
    if (system.is_persistent) return {shape.meetings * machine.meeting_seconds, 0, product};
    const double launch = is_cached ? machine.cached_launch_seconds : machine.launch_seconds;
    const double sums = system.is_over_ranks ? shape.sums * machine.rank_sum_seconds : 0;
    return {shape.launches * launch + sums, shape.values * system.rows * system.value_bytes / bandwidth, product};
}

RecurrenceChoice choose_recurrence(const IteratedSystem& system, const SolverMachine& machine) {
    RecurrenceChoice choice;
    choice.chronopoulos_gear = predict_iteration(chronopoulos_gear_shape(system.fuses_diagonal), system, machine);
    choice.textbook = predict_iteration(textbook_shape(system.fuses_diagonal), system, machine);
    choice.is_chronopoulos_gear = choice.chronopoulos_gear.total() < choice.textbook.total();
    choice.why = why(choice, system);
    return choice;
}

}  // namespace tilespmv
