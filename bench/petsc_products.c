/* Times of products with a generated matrix by AIJ and by tilespmv, in turns. Options: -class NAME, -rows N, -rounds N,
   -products N (in a row), -transpose. Prints one line of JSON; bench/petsc_products.py runs it over all classes. */
#include <petscmat.h>
#include <tilespmv_petsc.h>

static unsigned long long hash(unsigned long long i, unsigned long long k) {
    unsigned long long h = i * 0x9E3779B97F4A7C15ull + (k + 1) * 0xC2B2AE3D27D4EB4Full;
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ull;
    return h ^ (h >> 32);
}

/* The columns of row i, at most 4096, not sorted, perhaps some twice. */
static PetscInt columns_of(const char* kind, PetscInt i, PetscInt n, PetscInt* columns) {
    PetscInt count = 0;
    if (strcmp(kind, "banded") == 0) {
        for (PetscInt j = i - 8; j <= i + 8; ++j) columns[count++] = j;
    } else if (strcmp(kind, "5-point") == 0) {
        const PetscInt side = (PetscInt)PetscSqrtReal((PetscReal)n);
        columns[count++] = i - side;
        if (i % side > 0) columns[count++] = i - 1;
        columns[count++] = i;
        if (i % side < side - 1) columns[count++] = i + 1;
        columns[count++] = i + side;
    } else if (strcmp(kind, "fem-3dof") == 0) { /* 27 neighbours in a cube of nodes with 3 unknowns each */
        const PetscInt side = (PetscInt)(PetscPowReal((PetscReal)(n / 3), 1.0 / 3.0) + 1e-9), node = i / 3;
        const PetscInt x = node % side, y = node / side % side, z = node / side / side;
        for (PetscInt dz = -1; dz <= 1; ++dz) {
            for (PetscInt dy = -1; dy <= 1; ++dy) {
                for (PetscInt dx = -1; dx <= 1; ++dx) {
                    const PetscInt u = x + dx, v = y + dy, w = z + dz;
                    if (u < 0 || v < 0 || w < 0 || u >= side || v >= side || w >= side) continue;
                    for (PetscInt d = 0; d < 3; ++d) columns[count++] = 3 * ((w * side + v) * side + u) + d;
                }
            }
        }
    } else if (strcmp(kind, "random") == 0) {
        for (PetscInt k = 0; k < 16; ++k) columns[count++] = (PetscInt)(hash(i, k) % (unsigned long long)n);
    } else { /* power-law: rows of 4 to 4096 nonzeros, and columns that are frequent as these rows are long */
        const double u = (double)(hash(i, 99) >> 11) / 9007199254740992.0;
        const PetscInt length = (PetscInt)PetscMin(4096.0, 4.0 / PetscSqrtReal(PetscMax(u, 1e-9)));
        for (PetscInt k = 0; k < length; ++k) {
            const double v = (double)(hash(i, k) >> 11) / 9007199254740992.0;
            columns[count++] = (PetscInt)(v * v * v * n);
        }
    }
    return count;
}

static PetscErrorCode make_matrix(const char* kind, PetscInt n, Mat* a) {
    PetscInt m = PETSC_DECIDE, first, last, nnz = 0, columns[4096], *row_ptrs, *all;
    PetscScalar* values;
    PetscFunctionBegin;
    PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &m, &n));
    PetscCallMPI(MPI_Scan(&m, &last, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    first = last - m;
    for (PetscInt i = first; i < last; ++i) nnz += columns_of(kind, i, n, columns);
    PetscCall(PetscMalloc3(m + 1, &row_ptrs, nnz, &all, nnz, &values));
    row_ptrs[0] = 0;
    for (PetscInt i = 0; i < m; ++i) {
        PetscInt count = columns_of(kind, first + i, n, columns), kept = 0;
        PetscCall(PetscSortRemoveDupsInt(&count, columns));
        for (PetscInt k = 0; k < count; ++k) {
            if (columns[k] < 0 || columns[k] >= n) continue;
            all[row_ptrs[i] + kept] = columns[k];
            values[row_ptrs[i] + kept++] = (double)(hash(first + i, columns[k]) % 1000) / 1000.0 - 0.5;
        }
        row_ptrs[i + 1] = row_ptrs[i] + kept;
    }
    PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, m, m, n, n, row_ptrs, all, values, a));
    PetscCall(PetscFree3(row_ptrs, all, values));
    PetscFunctionReturn(0);
}

/* Seconds of a product, the same on all processes. */
static PetscErrorCode time_products(Mat a, Vec x, Vec y, PetscBool transposed, PetscInt products, double* seconds) {
    double start, end;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    start = MPI_Wtime();
    for (PetscInt k = 0; k < products; ++k) PetscCall(transposed ? MatMultTranspose(a, x, y) : MatMult(a, x, y));
    end = MPI_Wtime() - start;
    PetscCallMPI(MPI_Allreduce(&end, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    *seconds /= (double)products;
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    char kind[64] = "banded";
    PetscInt n = 300000, rounds = 101, products = 1;
    PetscBool transposed = PETSC_FALSE;
    PetscReal norm, difference;
    MatInfo info;
    double seconds = 0;
    Mat a, b;
    Vec x, y, z;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, "Times of products by AIJ and by tilespmv\n"));
    PetscCall(MatRegisterTilespmv());
    PetscCall(PetscOptionsGetString(NULL, NULL, "-class", kind, sizeof kind, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &n, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-products", &products, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-transpose", &transposed, NULL));
    PetscCall(make_matrix(kind, n, &a));
    PetscCall(MatConvert(a, MATMPIAIJTILESPMV, MAT_INITIAL_MATRIX, &b));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecSetRandom(x, NULL));
    PetscCall(time_products(a, x, y, transposed, 1, &seconds));
    PetscCall(time_products(b, x, z, transposed, 1, &seconds));
    PetscCall(VecNorm(y, NORM_2, &norm));
    PetscCall(VecAXPY(z, -1.0, y));
    PetscCall(VecNorm(z, NORM_2, &difference));
    PetscCheck(difference <= 1e-12 * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "the products differ");
    PetscCall(MatGetInfo(a, MAT_GLOBAL_SUM, &info));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "{\"class\": \"%s\", \"rows\": %d, \"nonzeros\": %.0f, \"seconds\": [",
                          kind, (int)n, info.nz_used));
    for (PetscInt round = 0; round < rounds; ++round) {
        double of_aij, ours;
        PetscCall(time_products(a, x, y, transposed, products, &of_aij));
        PetscCall(time_products(b, x, y, transposed, products, &ours));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s[%.6e, %.6e]", round == 0 ? "" : ", ", of_aij, ours));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "]}\n"));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&z));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscCall(PetscFinalize());
    return 0;
}
