/* Matrices of our type beside the same ones of AIJ, and comparisons of what the two give. */
#ifndef COMPARE_H
#define COMPARE_H

#include <petscksp.h>
#include <tilespmv_petsc.h>

/* Makes the error of PETSc that ends the test. */
#define CHECK(condition) \
    PetscCheck(condition, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s:%d: %s does not hold", __FILE__, __LINE__, #condition)

/* A number between -1 and 1, the same for the same i and j. */
static inline PetscScalar value_at(PetscInt i, PetscInt j) {
    unsigned long long h =
        (unsigned long long)i * 0x9E3779B97F4A7C15ull + (unsigned long long)j * 0xC2B2AE3D27D4EB4Full;
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ull;
    h ^= h >> 32;
    return (PetscScalar)(h % 2000001ull) / 1000000.0 - 1.0;
}

static inline PetscErrorCode fill(Vec x, PetscInt seed) {
    PetscInt first, last;
    PetscFunctionBegin;
    PetscCall(VecGetOwnershipRange(x, &first, &last));
    for (PetscInt i = first; i < last; ++i) PetscCall(VecSetValue(x, i, value_at(i, seed), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    PetscFunctionReturn(0);
}

/* Of `rows` x `cols`, every third row without nonzeros, the others with a band and some columns far away. */
static inline PetscErrorCode make_matrix(MatType type, PetscInt rows, PetscInt cols, Mat* a) {
    PetscInt first, last;
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, a));
    PetscCall(MatSetSizes(*a, PETSC_DECIDE, PETSC_DECIDE, rows, cols));
    PetscCall(MatSetType(*a, type));
    PetscCall(MatSeqAIJSetPreallocation(*a, 12, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*a, 12, NULL, 12, NULL));
    PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetOwnershipRange(*a, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
        for (PetscInt k = 0; k < 8 && i % 3 != 1; ++k) {
            const PetscInt j = k < 5 ? i + k - 2 : (i * 7 + k * k * 13) % cols;
            if (j >= 0 && j < cols) PetscCall(MatSetValue(*a, i, j, value_at(i, j), ADD_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static inline PetscErrorCode same_vectors(Vec x, Vec y) {
    PetscReal difference, norm;
    Vec d;
    PetscFunctionBegin;
    PetscCall(VecDuplicate(x, &d));
    PetscCall(VecWAXPY(d, -1.0, x, y));
    PetscCall(VecNorm(d, NORM_INFINITY, &difference));
    PetscCall(VecNorm(x, NORM_INFINITY, &norm));
    PetscCall(VecDestroy(&d));
    PetscCheck(difference <= 1e-13 * (1 + norm), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "vectors differ by %g of %g",
               (double)difference, (double)norm);
    PetscFunctionReturn(0);
}

/* All products with vectors of two matrices that should be the same. */
static inline PetscErrorCode same_products(Mat a, Mat b) {
    Vec x, y, ya, yb, xa, xb;
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(VecDuplicate(y, &ya));
    PetscCall(VecDuplicate(y, &yb));
    PetscCall(VecDuplicate(x, &xa));
    PetscCall(VecDuplicate(x, &xb));
    PetscCall(fill(x, 1));
    PetscCall(fill(y, 2));
    PetscCall(MatMult(a, x, ya));
    PetscCall(VecSet(yb, NAN)); /* is written, not read */
    PetscCall(MatMult(b, x, yb));
    PetscCall(same_vectors(ya, yb));
    PetscCall(MatMultAdd(a, x, y, ya));
    PetscCall(MatMultAdd(b, x, y, yb));
    PetscCall(same_vectors(ya, yb));
    PetscCall(VecCopy(y, ya));
    PetscCall(VecCopy(y, yb));
    PetscCall(MatMultAdd(a, x, ya, ya));
    PetscCall(MatMultAdd(b, x, yb, yb));
    PetscCall(same_vectors(ya, yb));
    PetscCall(MatMultTranspose(a, y, xa));
    PetscCall(MatMultTranspose(b, y, xb));
    PetscCall(same_vectors(xa, xb));
    PetscCall(MatMultTransposeAdd(a, y, x, xa));
    PetscCall(MatMultTransposeAdd(b, y, x, xb));
    PetscCall(same_vectors(xa, xb));
    PetscCall(VecCopy(x, xa));
    PetscCall(VecCopy(x, xb));
    PetscCall(MatMultTransposeAdd(a, y, xa, xa));
    PetscCall(MatMultTransposeAdd(b, y, xb, xb));
    PetscCall(same_vectors(xa, xb));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&ya));
    PetscCall(VecDestroy(&yb));
    PetscCall(VecDestroy(&xa));
    PetscCall(VecDestroy(&xb));
    PetscFunctionReturn(0);
}

static inline PetscErrorCode same_dense(Mat a, Mat b) {
    PetscReal norm, difference;
    Mat c;
    PetscFunctionBegin;
    PetscCall(MatNorm(a, NORM_FROBENIUS, &norm));
    PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &c));
    PetscCall(MatAXPY(c, -1.0, b, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(c, NORM_FROBENIUS, &difference));
    PetscCall(MatDestroy(&c));
    PetscCheck(difference <= 1e-13 * (1 + norm), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "matrices differ by %g of %g",
               (double)difference, (double)norm);
    PetscFunctionReturn(0);
}

static inline PetscErrorCode make_dense(PetscInt rows, PetscInt cols, PetscInt seed, Mat* b) {
    PetscInt first, last;
    PetscFunctionBegin;
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, cols, NULL, b));
    PetscCall(MatGetOwnershipRange(*b, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
        for (PetscInt j = 0; j < cols; ++j) PetscCall(MatSetValue(*b, i, j, value_at(i + seed, j), INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*b, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*b, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

#endif
