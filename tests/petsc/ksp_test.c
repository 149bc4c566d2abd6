/* Solvers of PETSc on the matrix type: as many iterations and the same residuals as with AIJ. On any number of
 * processes. */
#include "compare.h"

/* -Laplace(u) + wind u_x on n x n points. */
static PetscErrorCode make_system(MatType type, PetscInt n, PetscReal wind, Mat* a, Vec* b) {
    PetscInt first, last;
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, a));
    PetscCall(MatSetSizes(*a, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
    PetscCall(MatSetType(*a, type));
    PetscCall(MatSeqAIJSetPreallocation(*a, 5, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*a, 5, NULL, 4, NULL));
    PetscCall(MatGetOwnershipRange(*a, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
        if (i >= n) PetscCall(MatSetValue(*a, i, i - n, -1, INSERT_VALUES));
        if (i % n > 0) PetscCall(MatSetValue(*a, i, i - 1, -1 - wind, INSERT_VALUES));
        PetscCall(MatSetValue(*a, i, i, 4, INSERT_VALUES));
        if (i % n < n - 1) PetscCall(MatSetValue(*a, i, i + 1, -1 + wind, INSERT_VALUES));
        if (i < n * (n - 1)) PetscCall(MatSetValue(*a, i, i + n, -1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(*a, b, NULL));
    PetscCall(fill(*b, 9));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(MatType type, KSPType method, PCType preconditioner, PetscInt* iterations,
                            PetscReal* residual) {
    Mat a;
    Vec b, x;
    KSP ksp;
    PC pc;
    KSPConvergedReason reason;
    const PetscReal wind = strcmp(method, KSPCG) == 0 ? 0.0 : 0.3;
    PetscFunctionBegin;
    PetscCall(make_system(type, 40, wind, &a, &b));
    PetscCall(VecDuplicate(b, &x));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, a, a));
    PetscCall(KSPSetType(ksp, method));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, preconditioner));
    PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, iterations));
    PetscCall(KSPGetResidualNorm(ksp, residual));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    CHECK(reason > 0);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&a));
    PetscFunctionReturn(0);
}

/* Both with the same method. BiCGStab makes what is rounded differently larger: with GAMG the residual of AIJ itself
   changes by 2% if b is multiplied by 3. */
static PetscErrorCode compare(const char* name, KSPType method, PCType preconditioner) {
    const PetscReal tolerance = strcmp(method, KSPBCGS) != 0 ? 1e-5 : strcmp(preconditioner, PCGAMG) != 0 ? 1e-4 : 0.05;
    PetscInt expected, found;
    PetscReal expected_residual, residual;
    PetscFunctionBegin;
    PetscCall(solve(MATAIJ, method, preconditioner, &expected, &expected_residual));
    PetscCall(solve(MATAIJTILESPMV, method, preconditioner, &found, &residual));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-9s %-5s %-7s iterations %3d (AIJ %3d), residual %.6e (AIJ %.6e)\n", name,
                          method, preconditioner, (int)found, (int)expected, (double)residual,
                          (double)expected_residual));
    CHECK(found == expected);
    CHECK(PetscAbsReal(residual - expected_residual) <= tolerance * expected_residual);
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    const char* operators[] = {"csr-omp", "strip-omp"};
    const KSPType methods[] = {KSPCG, KSPGMRES, KSPBCGS};
    const PCType preconditioners[] = {PCJACOBI, PCBJACOBI, PCGAMG};
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, "Solvers on aijtilespmv against aij\n"));
    PetscCall(MatRegisterTilespmv());
    for (int k = 0; k < 18; ++k) {
        PetscCall(PetscOptionsSetValue(NULL, "-mat_tilespmv_operator", operators[k / 9]));
        PetscCall(compare(operators[k / 9], methods[k / 3 % 3], preconditioners[k % 3]));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "as AIJ\n"));
    PetscCall(PetscFinalize());
    return 0;
}
