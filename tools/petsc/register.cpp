#include "tools/petsc/matrix.hpp"
#include "tools/petsc/threads.hpp"
#include "tools/petsc/tilespmv_petsc.h"

namespace tilespmv::petsc {
namespace {

PetscErrorCode create_sequential(Mat a) {
    PetscFunctionBegin;
    PetscCall(MatSetType(a, MATSEQAIJ));
    PetscCall(become_ours(a, sequential_type()));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_parallel(Mat a) {
    PetscFunctionBegin;
    PetscCall(MatSetType(a, MATMPIAIJ));
    PetscCall(become_ours(a, parallel_type()));
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

Events& events() {
    static Events all;
    return all;
}

}  // namespace tilespmv::petsc

PetscErrorCode MatRegisterTilespmv(void) {
    PetscFunctionBegin;
    static bool is_registered = false;  // until PetscFinalize, after which PETSc has forgotten the types
    if (is_registered) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(tilespmv::petsc::share_cores(PETSC_COMM_WORLD));
    PetscCall(MatRegister(MATSEQAIJTILESPMV, tilespmv::petsc::create_sequential));
    PetscCall(MatRegister(MATMPIAIJTILESPMV, tilespmv::petsc::create_parallel));
    PetscCall(MatRegisterRootName(MATAIJTILESPMV, MATSEQAIJTILESPMV, MATMPIAIJTILESPMV));
    PetscCall(MatSeqAIJRegister(MATSEQAIJTILESPMV, tilespmv::petsc::sequential_type().from_aij));
    tilespmv::petsc::Events& events = tilespmv::petsc::events();
    PetscCall(PetscLogEventRegister("tilespmvConvert", MAT_CLASSID, &events.conversion));
    PetscCall(PetscLogEventRegister("tilespmvValues", MAT_CLASSID, &events.new_values));
    PetscCall(PetscRegisterFinalize([]() -> PetscErrorCode {
        is_registered = false;
        return PETSC_SUCCESS;
    }));
    is_registered = true;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc calls this when it has loaded the library, by the name of the file. */
#define TILESPMV_JOIN_(a, b) a##b
#define TILESPMV_JOIN(a, b) TILESPMV_JOIN_(a, b)
PETSC_EXTERN PetscErrorCode TILESPMV_JOIN(PetscDLLibraryRegister_, TILESPMV_PETSC_LIBRARY)(void);
PetscErrorCode TILESPMV_JOIN(PetscDLLibraryRegister_, TILESPMV_PETSC_LIBRARY)(void) { return MatRegisterTilespmv(); }
