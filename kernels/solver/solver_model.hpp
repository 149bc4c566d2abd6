#pragma once

#include <string>

#include "selector/tuning.hpp"

/// Which recurrence of conjugate gradients takes less time: a model of an iteration by what it launches and what it
/// moves.
namespace tilespmv {

/// The figures of a machine behind it.
struct SolverMachine {
    // Where the matrix and the vectors of the system stay in the cache.
    double cache_bytes = 0;
    double cached_launch_seconds = 0;  ///< of a kernel, its first loads included
    double cached_bytes_per_s = 1;
    // Elsewhere, where a launch lies under the kernel before as far as it can.
    double launch_seconds = 0;
    double bytes_per_s = 1;       ///< read and written in equal parts
    double meeting_seconds = 0;   ///< of the thread blocks of a kernel that stays for many iterations
    double rank_sum_seconds = 0;  ///< to add sums over ranks
};

/// Of a GPU in graphs of iterations.
SolverMachine gpu_solver_machine(const MemoryTuning& memory);
/// Of a CPU: loops of threads that are awake start in no time beside what they move. Its bandwidth cancels out in a
/// comparison, so that no measurement is needed for it.
SolverMachine cpu_solver_machine();

/// What is solved; of several ranks by the largest of them, which the others wait for.
struct IteratedSystem {
    double rows = 0;
    double value_bytes = 8;
    double matrix_bytes = 0;     ///< that a product reads
    bool fuses_diagonal = true;  ///< M is diagonal, or I, and applied by the loop that computes r
    bool is_persistent = false;  ///< one kernel does many iterations and keeps vectors in shared memory
    bool is_over_ranks = false;  ///< sums are added over ranks
};

/// What a recurrence does in an iteration.
struct RecurrenceShape {
    int launches = 0;   ///< of kernels, the product among them
    int meetings = 0;   ///< instead of launches, in a kernel that stays
    int sums = 0;       ///< passes that end in sums, which are waited for
    double values = 0;  ///< of vectors, read or written, a row
};

RecurrenceShape chronopoulos_gear_shape(bool fuses_diagonal);
RecurrenceShape textbook_shape(bool fuses_diagonal);

/// Predicted seconds of an iteration.
struct IterationTime {
    double waits = 0;    ///< for launches or meetings, and for sums over ranks
    double vectors = 0;  ///< to move them
    double product = 0;  ///< to read the matrix: the same for every recurrence
    [[nodiscard]] double total() const { return waits + vectors + product; }
};

/// Without the launches of a preconditioner that is not diagonal, which all recurrences apply once, and without halos.
IterationTime predict_iteration(const RecurrenceShape& shape, const IteratedSystem& system,
                                const SolverMachine& machine);

struct RecurrenceChoice {
    bool is_chronopoulos_gear = false;  ///< otherwise the textbook's, in a tie, too: it has a vector less
    IterationTime chronopoulos_gear, textbook;
    std::string why;  ///< a clause that goes on "..., ": "predicted to take 6.2 us an iteration instead of 7.9 ..."
};

/// Of a matrix in CSR.
double csr_bytes(double rows, double nonzeros, double value_bytes);

/// The one of the least predicted time. A pure function. Measured on an H200 in float64 with Jacobi, microseconds of an
/// iteration in graphs, Chronopoulos and Gear's / the textbook's: 1,024 rows: 6.2 / 7.9; 10,000: 8.0 / 10.6; 90,000:
/// 10.1 / 13.2; 216,000 with 1.5 million nonzeros: 16.8 / 20.4; 390,150 with 30 million: 84.3 / 79.5; 1,000,000: 49.9 /
/// 49.4; 4,096,000: 220 / 195. It chooses the faster one of each.
RecurrenceChoice choose_recurrence(const IteratedSystem& system, const SolverMachine& machine);

}  // namespace tilespmv
