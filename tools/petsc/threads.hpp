#pragma once

#include <petscsys.h>

/// Threads of OpenMP: processes of one node share its cores.
namespace tilespmv::petsc {

/// Finds out how many threads this process takes: what OMP_NUM_THREADS says, otherwise the cores that it may run on
/// divided by the number of processes of the node that may run on any of these. Collective.
PetscErrorCode share_cores(MPI_Comm comm);

/// That number.
int thread_share();

/// While it lives, loops of the calling thread have that many threads. The program's own loops keep theirs.
class ThreadScope {
public:
    ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;
    ~ThreadScope();

private:
    int before_;
};

}  // namespace tilespmv::petsc
