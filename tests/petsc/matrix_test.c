/* The matrix type against AIJ: products, changes of the matrix, conversions, blocks of vectors, errors. On any number
   of processes. */
#include "compare.h"

typedef PetscErrorCode (*Change)(Mat a);

static PetscErrorCode scale(Mat a) { return MatScale(a, -1.5); }
static PetscErrorCode shift(Mat a) { return MatShift(a, 3.25); }
static PetscErrorCode zero(Mat a) { return MatZeroEntries(a); }

static PetscErrorCode scale_by_diagonals(Mat a) {
    Vec l, r;
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(a, &r, &l));
    PetscCall(fill(l, 5));
    PetscCall(fill(r, 6));
    PetscCall(MatDiagonalScale(a, l, r));
    PetscCall(VecDestroy(&l));
    PetscCall(VecDestroy(&r));
    PetscFunctionReturn(0);
}

static PetscErrorCode zero_rows(Mat a) {
    PetscInt first, last, rows[2];
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(a, &first, &last));
    rows[0] = first, rows[1] = last - 1;
    PetscCall(MatZeroRows(a, last > first ? 2 : 0, rows, 4.5, NULL, NULL));
    PetscFunctionReturn(0);
}

/* Where there are nonzeros; the pattern stays. */
static PetscErrorCode set_values(Mat a) {
    PetscInt first, last, cols;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(a, &first, &last));
    PetscCall(MatGetSize(a, NULL, &cols));
    for (PetscInt i = first; i < last && i < cols; ++i) {
        if (i % 3 != 1) PetscCall(MatSetValue(a, i, i, 7.0 + i, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* In new places, in the off-diagonal blocks, too, which PETSc then replaces. */
static PetscErrorCode set_new_places(Mat a) {
    PetscInt first, last, cols;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(a, &first, &last));
    PetscCall(MatGetSize(a, NULL, &cols));
    PetscCall(MatSetOption(a, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
    PetscCall(MatSetOption(a, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt i = first; i < last; i += 2) {
        PetscCall(MatSetValue(a, i, (i * 31 + 17) % cols, 0.5, ADD_VALUES));
        PetscCall(MatSetValue(a, i, cols - 1 - i % cols, -0.5, ADD_VALUES));
    }
    PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_by_coordinates(Mat a) {
    PetscInt first, last, i[200], j[200], cols, count = 0;
    PetscScalar values[200];
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(a, &first, &last));
    PetscCall(MatGetSize(a, NULL, &cols));
    for (; count < 200; ++count) {
        i[count] = first + (count * 3) % (last - first);
        j[count] = (count * count + 5) % cols;
        values[count] = value_at(i[count], j[count]);
    }
    PetscCall(MatSetPreallocationCOO(a, count, i, j));
    PetscCall(MatSetValuesCOO(a, values, INSERT_VALUES));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_coordinates_again(Mat a) {
    PetscScalar values[200];
    PetscFunctionBegin;
    for (PetscInt k = 0; k < 200; ++k) values[k] = value_at(k, 77);
    PetscCall(MatSetValuesCOO(a, values, ADD_VALUES));
    PetscFunctionReturn(0);
}

static PetscErrorCode transpose_in_place(Mat a) { return MatTranspose(a, MAT_INPLACE_MATRIX, &a); }

static PetscErrorCode add_another(Mat a) {
    Mat b;
    PetscInt rows, cols;
    PetscFunctionBegin;
    PetscCall(MatGetSize(a, &rows, &cols));
    PetscCall(make_matrix(MATAIJ, rows, cols, &b));
    PetscCall(MatAXPY(a, 2.0, b, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

/* Each change after the one before, with products in between, so that what is kept for these is out of date. */
static PetscErrorCode test_changes(PetscInt rows, PetscInt cols) {
    const Change changes[] = {scale,       set_values,     scale_by_diagonals, set_new_places,        set_values,
                              add_another, zero_rows,      set_values,         transpose_in_place,    scale,
                              zero,        set_new_places, set_by_coordinates, set_coordinates_again, scale};
    Mat a, b, c;
    PetscFunctionBegin;
    PetscCall(make_matrix(MATAIJ, rows, cols, &a));
    PetscCall(make_matrix(MATAIJTILESPMV, rows, cols, &b));
    PetscCall(same_products(a, b));
    if (rows == cols) {
        PetscCall(shift(a));
        PetscCall(shift(b));
    }
    for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k) {
        if (rows != cols && changes[k] == transpose_in_place) continue;
        PetscCall((*changes[k])(a));
        PetscCall((*changes[k])(b));
        PetscCall(same_products(a, b));
        PetscCall(MatDuplicate(b, MAT_COPY_VALUES, &c));
        PetscCall(same_products(a, c));
        PetscCall(MatScale(a, 2.0));
        PetscCall(MatScale(b, 2.0));
        PetscCall(MatCopy(b, c, SAME_NONZERO_PATTERN));
        PetscCall(same_products(a, c));
        PetscCall(MatDestroy(&c));
    }
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

static PetscErrorCode check_type(Mat a, const char* seq, const char* mpi) {
    PetscMPIInt size;
    PetscBool is;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)a), &size));
    PetscCall(PetscObjectTypeCompare((PetscObject)a, size == 1 ? seq : mpi, &is));
    CHECK(is);
    PetscFunctionReturn(0);
}
static PetscErrorCode check_ours(Mat a) { return check_type(a, MATSEQAIJTILESPMV, MATMPIAIJTILESPMV); }
static PetscErrorCode check_aij(Mat a) { return check_type(a, MATSEQAIJ, MATMPIAIJ); }

/* Every operation of `a` is that of the AIJ matrix `b`. */
static PetscErrorCode has_operations_of(Mat a, Mat b) {
    PetscFunctionBegin;
    for (int op = 0; op <= MATOP_GET_VALUES_LOCAL; ++op) {
        void (*fa)(void), (*fb)(void);
        if (op == MATOP_VIEW_NATIVE) continue; /* MatSetOperation leaves the view of AIJ there */
        PetscCall(MatGetOperation(a, (MatOperation)op, &fa));
        PetscCall(MatGetOperation(b, (MatOperation)op, &fb));
        PetscCheck(fa == fb, PETSC_COMM_SELF, PETSC_ERR_PLIB, "operation %d is not that of AIJ", op);
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode test_conversions(void) {
    Mat a, b, c;
    PetscMPIInt size;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(make_matrix(MATAIJ, 90, 70, &a));
    PetscCall(MatConvert(a, MATAIJTILESPMV, MAT_INITIAL_MATRIX, &b));
    PetscCall(check_ours(b));
    PetscCall(check_aij(a));
    PetscCall(same_products(a, b));
    PetscCall(MatScale(a, 3.0));
    PetscCall(MatConvert(a, MATAIJTILESPMV, MAT_REUSE_MATRIX, &b));
    PetscCall(same_products(a, b));
    PetscCall(MatConvert(b, MATAIJ, MAT_INITIAL_MATRIX, &c));
    PetscCall(check_aij(c));
    PetscCall(check_ours(b));
    PetscCall(has_operations_of(c, a));
    PetscCall(same_products(b, c));
    PetscCall(MatDestroy(&c));
    PetscCall(MatConvert(b, size == 1 ? MATSEQAIJ : MATMPIAIJ, MAT_INPLACE_MATRIX, &b));
    PetscCall(check_aij(b));
    PetscCall(has_operations_of(b, a));
    PetscCall(same_products(a, b));
    PetscCall(MatConvert(b, MATAIJTILESPMV, MAT_INPLACE_MATRIX, &b));
    PetscCall(check_ours(b));
    PetscCall(same_products(a, b));
    PetscCall(MatConvert(b, MATDENSE, MAT_INITIAL_MATRIX, &c));
    PetscCall(same_products(b, c));
    PetscCall(MatConvert(c, MATAIJTILESPMV, MAT_INPLACE_MATRIX, &c));
    PetscCall(check_ours(c));
    PetscCall(same_products(a, c));
    PetscCall(MatDestroy(&c));
    PetscCall(MatTranspose(b, MAT_INITIAL_MATRIX, &c));
    PetscCall(MatTranspose(c, MAT_INPLACE_MATRIX, &c));
    PetscCall(same_products(a, c));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscCall(MatDestroy(&c));
    PetscFunctionReturn(0);
}

typedef PetscErrorCode (*Multiply)(Mat, Mat, MatReuse, PetscReal, Mat*);

/* A product with a dense matrix, again with other values, and again with another pattern. */
static PetscErrorCode test_dense_product(Multiply multiply, PetscInt columns) {
    Mat a, b, x, ca, cb;
    const PetscInt rows = 90, cols = 70;
    PetscFunctionBegin;
    PetscCall(make_matrix(MATAIJ, rows, cols, &a));
    PetscCall(make_matrix(MATAIJTILESPMV, rows, cols, &b));
    PetscCall(make_dense(multiply == MatMatMult ? cols : rows, columns, 3, &x));
    PetscCall((*multiply)(a, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &ca));
    PetscCall((*multiply)(b, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &cb));
    PetscCall(same_dense(ca, cb));
    PetscCall(MatScale(x, 2.0));
    for (int k = 0; k < 2; ++k) {
        PetscCall(k == 0 ? scale(a) : set_new_places(a));
        PetscCall(k == 0 ? scale(b) : set_new_places(b));
        PetscCall(MatDestroy(&ca)); /* AIJ does not take another pattern in a product that it has prepared */
        PetscCall((*multiply)(a, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &ca));
        PetscCall((*multiply)(b, x, MAT_REUSE_MATRIX, PETSC_DEFAULT, &cb));
        PetscCall(same_dense(ca, cb));
    }
    PetscCall(MatDestroy(&ca));
    PetscCall(MatDestroy(&cb));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscCall(MatDestroy(&x));
    PetscFunctionReturn(0);
}

/* Products that AIJ is asked for: A B^T, A A, A^T A, P^T A P, B A, and P^T B P with a dense B, in which ours takes
 * part. */
static PetscErrorCode test_other_products(void) {
    Mat a, b, x, c[2];
    PetscMPIInt size;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(make_matrix(MATAIJ, 60, 60, &a));
    PetscCall(make_matrix(MATAIJTILESPMV, 60, 60, &b));
    PetscCall(make_dense(60, 60, 8, &x));
    for (int k = size == 1 ? 0 : 1; k < 6; ++k) { /* AIJ has A B^T on one process */
        for (int l = 0; l < 2; ++l) {
            Mat one = l == 0 ? a : b;
            if (k == 0) PetscCall(MatMatTransposeMult(one, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c[l]));
            if (k == 1) PetscCall(MatMatMult(one, one, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c[l]));
            if (k == 2) PetscCall(MatTransposeMatMult(one, one, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c[l]));
            if (k == 3) PetscCall(MatPtAP(one, one, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c[l]));
            if (k == 4) PetscCall(MatMatMult(x, one, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c[l]));
            if (k == 5) PetscCall(MatPtAP(x, one, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c[l]));
        }
        PetscCall(same_products(c[0], c[1]));
        PetscCall(MatDestroy(&c[0]));
        PetscCall(MatDestroy(&c[1]));
    }
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscCall(MatDestroy(&x));
    PetscFunctionReturn(0);
}

static PetscErrorCode count_of(const char* name, int* count) {
    PetscLogEvent event;
    PetscEventPerfInfo info;
    PetscFunctionBegin;
    PetscCall(PetscLogEventGetId(name, &event));
    PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
    *count = info.count;
    PetscFunctionReturn(0);
}

/* New values are taken without another conversion; no change, nothing. */
static PetscErrorCode test_new_values(void) {
    Mat a, b;
    Vec x, y;
    int conversions[2], values[2];
    PetscFunctionBegin;
    PetscCall(make_matrix(MATAIJ, 90, 90, &a));
    PetscCall(make_matrix(MATAIJTILESPMV, 90, 90, &b));
    PetscCall(MatCreateVecs(b, &x, &y));
    PetscCall(fill(x, 4));
    PetscCall(MatMult(b, x, y));
    PetscCall(count_of("tilespmvConvert", &conversions[0]));
    PetscCall(count_of("tilespmvValues", &values[0]));
    PetscCall(MatMult(b, x, y));
    PetscCall(count_of("tilespmvValues", &values[1]));
    CHECK(values[1] == values[0]);
    PetscCall(MatScale(b, 2.0));
    PetscCall(MatMult(b, x, y));
    PetscCall(count_of("tilespmvValues", &values[1]));
    CHECK(values[1] > values[0]);
    PetscCall(set_values(b));
    PetscCall(MatMult(b, x, y));
    PetscCall(count_of("tilespmvConvert", &conversions[1]));
    CHECK(conversions[1] == conversions[0]);
    PetscCall(MatScale(a, 2.0));
    PetscCall(set_values(a));
    PetscCall(same_products(a, b));
    PetscCall(count_of("tilespmvConvert", &conversions[0]));
    PetscCall(set_new_places(b));
    PetscCall(MatMult(b, x, y));
    PetscCall(count_of("tilespmvConvert", &conversions[1]));
    CHECK(conversions[1] > conversions[0]);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

static char message[4096];
static PetscErrorCode remember(MPI_Comm comm, int line, const char* function, const char* file, PetscErrorCode n,
                               PetscErrorType type, const char* text, void* context) {
    (void)comm, (void)line, (void)function, (void)file, (void)context;
    if (type == PETSC_ERROR_INITIAL) snprintf(message, sizeof message, "%s", text);
    return n;
}

/* The line of the library is in PETSc's error; afterwards the matrix is as before. */
static PetscErrorCode test_errors(void) {
    Mat a, b;
    Vec x, y;
    PetscErrorCode status;
    PetscFunctionBegin;
    PetscCall(make_matrix(MATAIJ, 20, 20, &a));
    PetscCall(make_matrix(MATAIJTILESPMV, 20, 20, &b));
    PetscCall(MatSetOptionsPrefix(b, "wrong_"));
    PetscCall(PetscOptionsSetValue(NULL, "-wrong_mat_tilespmv_operator", "magic"));
    PetscCall(MatCreateVecs(b, &x, &y));
    PetscCall(PetscPushErrorHandler(remember, NULL));
    status = MatMult(b, x, y);
    PetscCall(PetscPopErrorHandler());
    CHECK(status == PETSC_ERR_LIB);
    CHECK(strstr(message, "tilespmv: unknown operator 'magic'") != NULL);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatConvert(b, MATAIJ, MAT_INPLACE_MATRIX, &b));
    PetscCall(same_products(a, b));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

/* Rows that PETSc was given with columns in another order. */
static PetscErrorCode test_unsorted_rows(void) {
    PetscInt i[] = {0, 3, 5}, j[] = {2, 0, 1, 1, 0};
    PetscScalar values[] = {1, 2, 3, 4, 5}, *y;
    Mat a;
    Vec x, z;
    PetscFunctionBegin;
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 2, 3, i, j, values, &a));
    PetscCall(MatConvert(a, MATSEQAIJTILESPMV, MAT_INPLACE_MATRIX, &a));
    PetscCall(MatCreateVecs(a, &x, &z));
    for (PetscInt k = 0, ten = 1; k < 3; ++k, ten *= 10) PetscCall(VecSetValue(x, k, ten, INSERT_VALUES));
    for (int factor = 1; factor < 3; ++factor) {
        PetscCall(MatMult(a, x, z));
        PetscCall(VecGetArray(z, &y));
        CHECK(y[0] == factor * 132 && y[1] == factor * 45);
        PetscCall(VecRestoreArray(z, &y));
        PetscCall(MatScale(a, 2));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&z));
    PetscCall(MatDestroy(&a));
    PetscFunctionReturn(0);
}

/* All that depends on which operator multiplies. */
static PetscErrorCode test_operator(const char* name) {
    const PetscInt columns[] = {1, 2, 8, 13};
    PetscFunctionBegin;
    PetscCall(PetscOptionsSetValue(NULL, "-mat_tilespmv_operator", name));
    PetscCall(test_changes(90, 90));
    PetscCall(test_changes(90, 70));
    PetscCall(test_changes(70, 90));
    for (int k = 0; k < 4; ++k) {
        PetscCall(test_dense_product(MatMatMult, columns[k]));
        PetscCall(test_dense_product(MatTransposeMatMult, columns[k]));
    }
    PetscCall(test_new_values());
    PetscCall(test_unsorted_rows());
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    PetscMPIInt size;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, "The matrix type aijtilespmv against aij\n"));
    PetscCall(MatRegisterTilespmv());
    PetscCall(MatRegisterTilespmv());
    PetscCall(PetscLogDefaultBegin());
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(test_operator("csr-omp"));
    PetscCall(test_operator("strip-omp"));
    PetscCall(test_operator("auto"));                  /* leaves vectors to AIJ: few nonzeros */
    PetscCall(test_changes(4000 * size, 4000 * size)); /* by ours */
    PetscCall(test_conversions());
    PetscCall(test_other_products());
    PetscCall(test_errors());
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "as AIJ\n"));
    PetscCall(PetscFinalize());
    return 0;
}
