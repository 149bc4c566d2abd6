#include "tools/petsc/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <omp.h>

#include "tools/petsc/call.hpp"

namespace tilespmv::petsc {
namespace {

int share = 1;

bool have_common_cores(const cpu_set_t& a, const cpu_set_t& b) {
    cpu_set_t both;
    CPU_AND(&both, &a, &b);
    return CPU_COUNT(&both) > 0;
}

}  // namespace

PetscErrorCode share_cores(MPI_Comm comm) {
    PetscFunctionBegin;
    MPI_Comm node = MPI_COMM_NULL;
    PetscMPIInt processes = 1;
    PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    PetscCallMPI(MPI_Comm_size(node, &processes));
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_SET(0, &mine);  // more cores than the set has bits
    std::vector<cpu_set_t> all(static_cast<std::size_t>(processes));
    PetscCallMPI(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node));
    PetscCallMPI(MPI_Comm_free(&node));
    const auto sharers =
        std::ranges::count_if(all, [&](const cpu_set_t& other) { return have_common_cores(mine, other); });
    const bool is_told = std::getenv("OMP_NUM_THREADS") != nullptr;
    share = is_told ? omp_get_max_threads() : std::max(1, CPU_COUNT(&mine) / static_cast<int>(sharers));
    PetscFunctionReturn(PETSC_SUCCESS);
}

int thread_share() { return share; }

ThreadScope::ThreadScope() : before_(omp_get_max_threads()) { omp_set_num_threads(share); }
ThreadScope::~ThreadScope() { omp_set_num_threads(before_); }

}  // namespace tilespmv::petsc
