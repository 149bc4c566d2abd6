#pragma once

#include <exception>

#include <petscsys.h>

#if !defined(PETSC_SUCCESS)
#define PETSC_SUCCESS 0
#endif

namespace tilespmv::petsc {

/// Calls `f()`, which returns nothing, and makes of an exception an error of PETSc with the line of the library.
template <class F>
PetscErrorCode call(F&& f) {
    PetscFunctionBegin;
    try {
        f();
    } catch (const std::exception& error) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "tilespmv: %s", error.what());
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace tilespmv::petsc
