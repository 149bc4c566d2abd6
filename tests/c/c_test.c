/* The C interface from C11. */
#include "c_test.h"

int failures = 0;

static void test_products(void) {
    tilespmv_matrix a = NULL;
    for (int form = 0; form < 6; ++form) {
        tilespmv_arrays arrays = csr();
        if (form % 2 == 1) {
            arrays.row_type = TILESPMV_INT64;
            arrays.row_ptrs = kWideRowPtrs;
        }
        if (form / 2 == 1) {
            arrays.col_type = TILESPMV_INT64;
            arrays.cols_of = kWideCols;
        }
        if (form / 2 == 2) arrays.ownership = TILESPMV_BORROW;
        CHECK(tilespmv_from_csr(&a, &arrays, kOnCpu) == TILESPMV_OK);
        CHECK(tilespmv_rows(a) == 2 && tilespmv_cols(a) == 3 && tilespmv_nnz(a) == 3);
        CHECK(tilespmv_value_type(a) == TILESPMV_FLOAT64 && tilespmv_device(a) == TILESPMV_HOST);
        CHECK(tilespmv_bytes(a) > 0 && tilespmv_is_reproducible(a) && strcmp(tilespmv_operator(a), "csr-omp") == 0);
        const double x[] = {1, 10, 100};
        double y[] = {7, 7};
        CHECK(tilespmv_multiply(a, x, y) == TILESPMV_OK);
        CHECK(y[0] == 201 && y[1] == -30);
        tilespmv_destroy(&a);
        CHECK(a == NULL);
        tilespmv_destroy(&a);
    }
    tilespmv_arrays narrow = csr();
    narrow.type = TILESPMV_FLOAT32;
    narrow.values = kNarrow;
    CHECK(tilespmv_from_csr(&a, &narrow, kOnCpu) == TILESPMV_OK);
    const float x[] = {1, 10, 100};
    float y[2];
    CHECK(tilespmv_multiply(a, x, y) == TILESPMV_OK && y[0] == 201 && y[1] == -30);
    tilespmv_destroy(&a);
}

static void test_blocks_and_transpose(void) {
    tilespmv_matrix a = NULL;
    const tilespmv_arrays arrays = csr();
    CHECK(tilespmv_from_csr(&a, &arrays, kOnCpu) == TILESPMV_OK);
    double x[] = {1, 2, 9, 10, 20, 9, 100, 200, 9}; /* 3 rows of 2 with a gap */
    double y[] = {1, 1, 1, 1};                      /* 2 x 2 by columns */
    const tilespmv_block from = {x, 3, 2, 3, TILESPMV_ROW_MAJOR, TILESPMV_HOST};
    const tilespmv_block to = {y, 2, 2, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    CHECK(tilespmv_apply(a, TILESPMV_NONE, 2, &from, 3, &to, NULL) == TILESPMV_OK);
    CHECK(y[0] == 405 && y[1] == -57 && y[2] == 807 && y[3] == -117);
    double u[] = {1, 10}, v[] = {NAN, NAN, NAN};
    const tilespmv_block row_sums = {u, 2, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block col_sums = {v, 3, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    CHECK(tilespmv_apply(a, TILESPMV_TRANSPOSE, 1, &row_sums, 0, &col_sums, NULL) == TILESPMV_OK);
    CHECK(v[0] == 1 && v[1] == -30 && v[2] == 2);
    const double values[] = {5, 6, 7};
    CHECK(tilespmv_update_values(a, values, 3, TILESPMV_HOST, NULL) == TILESPMV_OK);
    CHECK(tilespmv_apply(a, TILESPMV_TRANSPOSE, 1, &row_sums, 0, &col_sums, NULL) == TILESPMV_OK);
    CHECK(v[0] == 5 && v[1] == 70 && v[2] == 6);
    FAILS(TILESPMV_USAGE, tilespmv_update_values(a, values, 2, TILESPMV_HOST, NULL), "2 values for a matrix of 3");
    const tilespmv_block nowhere = {v, 3, 1, 0, TILESPMV_COLUMN_MAJOR, (tilespmv_memory)2};
    FAILS(TILESPMV_USAGE, tilespmv_apply(a, TILESPMV_TRANSPOSE, 1, &row_sums, 0, &nowhere, NULL), "neither HOST nor");
    int64_t row_ptrs[3];
    int32_t cols[3];
    double back[3];
    CHECK(tilespmv_to_csr(a, row_ptrs, cols, back, TILESPMV_HOST, NULL) == TILESPMV_OK);
    CHECK(memcmp(row_ptrs, kWideRowPtrs, sizeof row_ptrs) == 0 && memcmp(cols, kCols, sizeof cols) == 0);
    CHECK(memcmp(back, values, sizeof back) == 0);
    FAILS(TILESPMV_USAGE, tilespmv_to_csr(a, row_ptrs, cols, NULL, TILESPMV_HOST, NULL), "values is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_apply(a, TILESPMV_NONE, 1, &row_sums, 0, &col_sums, NULL), "x is 2 x 1 and y 3 x 1");
    FAILS(TILESPMV_USAGE, tilespmv_apply(a, TILESPMV_NONE, 1, NULL, 0, &col_sums, NULL), "x is a null pointer");
    tilespmv_block bad = from;
    bad.ld = 1;
    FAILS(TILESPMV_USAGE, tilespmv_apply(a, TILESPMV_NONE, 1, &bad, 0, &to, NULL), "leading dimension of 1");
    FAILS(TILESPMV_USAGE, tilespmv_multiply(a, NULL, y), "x is a null pointer");
    CHECK(tilespmv_multiply(a, x, y) == TILESPMV_OK && strcmp(tilespmv_last_error(a), "") == 0);
    tilespmv_destroy(&a);
}

static void test_coo(void) {
    tilespmv_matrix a = NULL;
    const int64_t rows[] = {1, 0, 1, 0}, cols[] = {1, 2, 1, 0};
    const double values[] = {-1, 2, -2, 1}, x[] = {1, 10, 100};
    double y[2];
    tilespmv_arrays coo = csr();
    coo.nnz = 4;
    coo.row_type = coo.col_type = TILESPMV_INT64;
    coo.row_ptrs = rows;
    coo.cols_of = cols;
    coo.values = values;
    CHECK(tilespmv_from_coo(&a, &coo, kOnCpu) == TILESPMV_OK);
    CHECK(tilespmv_nnz(a) == 3 && tilespmv_multiply(a, x, y) == TILESPMV_OK && y[0] == 201 && y[1] == -30);
    tilespmv_destroy(&a);
    /* Those with a negative row or column are left out: here all but (0, 2) and (0, 0). */
    const int64_t some_rows[] = {-1, 0, 1, 0}, some_cols[] = {1, 2, -7, 0};
    coo.row_ptrs = some_rows;
    coo.cols_of = some_cols;
    CHECK(tilespmv_from_coo(&a, &coo, kOnCpu) == TILESPMV_OK);
    CHECK(tilespmv_nnz(a) == 2 && tilespmv_multiply(a, x, y) == TILESPMV_OK && y[0] == 201 && y[1] == 0);
    tilespmv_destroy(&a);
    coo.row_ptrs = rows;
    coo.cols_of = cols;
    coo.rows = 1;
    FAILS(TILESPMV_USAGE, tilespmv_from_coo(&a, &coo, kOnCpu), "entry 0 is at row 1");
    CHECK(a == NULL);
}

static void test_refusals(void) {
    tilespmv_matrix a = NULL;
    tilespmv_arrays arrays = csr();
    const char* const unknown[] = {"colour=red", NULL};
    const char* const bare[] = {"device", NULL};
    const char* const nowhere[] = {"device=tpu", NULL};
    const char* const no_operator[] = {"device=cpu", "operator=nothing", NULL};
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, unknown), "unknown option 'colour'");
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, bare), "expected name=value");
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, nowhere), "device=tpu: expected cpu, cuda");
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, no_operator), "unknown operator 'nothing'");
    const char* const on_gpu[] = {"device=cuda", NULL};
    const tilespmv_status there = tilespmv_from_csr(&a, &arrays, on_gpu);
    CHECK(there == TILESPMV_OK || there == TILESPMV_UNAVAILABLE);
    tilespmv_destroy(&a);
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(NULL, &arrays, kOnCpu), "the matrix is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, NULL, kOnCpu), "null pointer");
    arrays.type = (tilespmv_type)9;
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, kOnCpu), "type 9");
    arrays = csr();
    arrays.values = NULL;
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, kOnCpu), "null pointer");
    arrays = csr();
    arrays.rows = -1;
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, kOnCpu), "-1 x 3");
    const int64_t beyond[] = {0, (INT64_C(1) << 32) + 2, 1};
    arrays = csr();
    arrays.col_type = TILESPMV_INT64;
    arrays.cols_of = beyond;
    CHECK(tilespmv_from_csr(&a, &arrays, kOnCpu) != TILESPMV_OK && a == NULL);
    arrays.ownership = TILESPMV_BORROW;
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, kOnCpu), "can be borrowed");
    FAILS(TILESPMV_FAILURE, tilespmv_load(&a, "no such file", TILESPMV_FLOAT64, kOnCpu),
          "no such file: cannot be read");
    CHECK(tilespmv_rows(NULL) == 0 && tilespmv_bytes(NULL) == 0 && strcmp(tilespmv_operator(NULL), "") == 0);
    CHECK(tilespmv_cols(NULL) == 0 && tilespmv_nnz(NULL) == 0 && tilespmv_is_reproducible(NULL) == 0);
    CHECK(tilespmv_value_type(NULL) == TILESPMV_FLOAT64 && tilespmv_device(NULL) == TILESPMV_HOST);
    FAILS(TILESPMV_USAGE, tilespmv_multiply(NULL, NULL, NULL), "the matrix is a null pointer");
    CHECK(strcmp(tilespmv_status_text(TILESPMV_USAGE), "an argument is wrong") == 0);
    CHECK(tilespmv_version() == TILESPMV_VERSION_MAJOR * 10000 + TILESPMV_VERSION_MINOR * 100 + TILESPMV_VERSION_PATCH);
}

static void test_solve(void) {
    tilespmv_matrix a = NULL;
    tilespmv_report report;
    CHECK(tilespmv_load(&a, "gen:laplace2d:n=20", TILESPMV_FLOAT64, kOnCpu) == TILESPMV_OK);
    const int n = (int)tilespmv_rows(a);
    double* const ones = malloc((size_t)n * sizeof(double));
    double* const b = malloc((size_t)n * sizeof(double));
    double* const x = malloc((size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i) ones[i] = 1;
    CHECK(tilespmv_multiply(a, ones, b) == TILESPMV_OK);
    const char* const options[] = {"precond=jacobi", "rtol=1e-10", NULL};
    CHECK(tilespmv_solve(a, b, x, TILESPMV_HOST, options, &report) == TILESPMV_OK);
    CHECK(report.converged && strcmp(report.end, "converged") == 0 && report.residual <= report.tolerance);
    double worst = 0;
    for (int i = 0; i < n; ++i) worst = fmax(worst, fabs(x[i] - 1));
    CHECK(worst < 1e-8);
    const char* const few[] = {"precond=none", "max_iterations=2", NULL};
    CHECK(tilespmv_solve(a, b, x, TILESPMV_HOST, few, &report) == TILESPMV_NOT_CONVERGED);
    CHECK(!report.converged && strcmp(report.end, "limit") == 0 && report.iterations == 2);
    const char* const wrong[] = {"rtol=small", NULL};
    FAILS(TILESPMV_USAGE, tilespmv_solve(a, b, x, TILESPMV_HOST, wrong, NULL), "rtol=small: expected a number");
    free(ones);
    free(b);
    free(x);
    tilespmv_destroy(&a);
}

/* On the CPU they take no memory, and are checked as on a GPU. */
static void test_workspaces(void) {
    tilespmv_matrix a = NULL, other = NULL;
    tilespmv_workspace w = NULL, of_blocks = NULL;
    const tilespmv_arrays arrays = csr();
    CHECK(tilespmv_from_csr(&a, &arrays, kOnCpu) == TILESPMV_OK);
    CHECK(tilespmv_from_csr(&other, &arrays, kOnCpu) == TILESPMV_OK);
    int64_t bytes = -1;
    CHECK(tilespmv_workspace_bytes(a, TILESPMV_NONE, 1, &bytes) == TILESPMV_OK && bytes == 0);
    CHECK(tilespmv_workspace_create(&w, a, TILESPMV_NONE, 1, NULL, bytes) == TILESPMV_OK);
    CHECK(tilespmv_workspace_create(&of_blocks, a, TILESPMV_NONE, 3, NULL, 0) == TILESPMV_OK);
    double x[] = {1, 10, 100, 2, 20, 200}, y[] = {NAN, NAN, NAN, NAN}, z[] = {NAN, NAN, NAN};
    const tilespmv_block from = {x, 3, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block to = {y, 2, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block back = {z, 3, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block from_two = {x, 3, 2, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block to_two = {y, 2, 2, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    CHECK(tilespmv_apply_in(a, TILESPMV_NONE, 1, &from_two, 0, &to_two, NULL, of_blocks) == TILESPMV_OK);
    CHECK(y[0] == 201 && y[1] == -30 && y[2] == 402 && y[3] == -60);
    CHECK(tilespmv_apply_in(a, TILESPMV_NONE, 1, &from, 1, &to, NULL, w) == TILESPMV_OK);
    CHECK(y[0] == 402 && y[1] == -60);
    FAILS(TILESPMV_USAGE, tilespmv_apply_in(a, TILESPMV_TRANSPOSE, 1, &to, 0, &back, NULL, w), "not for the transpose");
    FAILS(TILESPMV_USAGE, tilespmv_apply_in(a, TILESPMV_NONE, 1, &from, 0, &to, NULL, of_blocks), "several columns");
    FAILS(TILESPMV_USAGE, tilespmv_apply_in(a, TILESPMV_NONE, 1, &from_two, 0, &to_two, NULL, w), "for one column");
    FAILS(TILESPMV_USAGE, tilespmv_workspace_bytes(a, TILESPMV_NONE, 0, &bytes), "products of 0 columns");
    FAILS(TILESPMV_USAGE, tilespmv_workspace_bytes(a, (tilespmv_op)7, 1, &bytes), "op is neither");
    FAILS(TILESPMV_USAGE, tilespmv_workspace_bytes(a, TILESPMV_NONE, 1, NULL), "bytes is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_workspace_create(NULL, a, TILESPMV_NONE, 1, NULL, 0), "workspace is a null pointer");
    CHECK(tilespmv_apply_in(other, TILESPMV_NONE, 1, &from, 0, &to, NULL, w) == TILESPMV_USAGE);
    CHECK(strstr(tilespmv_last_error(other), "that of another matrix") != NULL);
    CHECK(y[0] == 402 && z[0] != z[0]);
    tilespmv_workspace_destroy(&w);
    CHECK(tilespmv_workspace_create(&w, NULL, TILESPMV_NONE, 1, NULL, 0) == TILESPMV_USAGE && w == NULL);
    tilespmv_destroy(&a); /* before its workspace */
    tilespmv_workspace_destroy(&of_blocks);
    CHECK(of_blocks == NULL);
    tilespmv_workspace_destroy(&of_blocks);
    tilespmv_destroy(&other);
}

/* One of a form that is no longer there: new values of a symmetric matrix that are not symmetric. */
static void test_workspace_of_a_form_that_is_gone(void) {
    tilespmv_matrix a = NULL;
    tilespmv_workspace w = NULL;
    CHECK(tilespmv_load(&a, "gen:laplace2d:n=2", TILESPMV_FLOAT64, kOnCpu) == TILESPMV_OK);
    CHECK(tilespmv_workspace_create(&w, a, TILESPMV_TRANSPOSE, 1, NULL, 0) == TILESPMV_OK);
    double x[] = {1, 0, 0, 0}, y[4], values[12];
    const tilespmv_block from = {x, 4, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block to = {y, 4, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    for (int i = 0; i < 12; ++i) values[i] = 5;
    CHECK(tilespmv_update_values(a, values, 12, TILESPMV_HOST, NULL) == TILESPMV_OK);
    CHECK(tilespmv_apply_in(a, TILESPMV_TRANSPOSE, 1, &from, 0, &to, NULL, w) == TILESPMV_OK && y[1] == 5);
    values[1] = 6; /* row 0, column 1 */
    CHECK(tilespmv_update_values(a, values, 12, TILESPMV_HOST, NULL) == TILESPMV_OK);
    FAILS(TILESPMV_USAGE, tilespmv_apply_in(a, TILESPMV_TRANSPOSE, 1, &from, 0, &to, NULL, w),
          "new values have replaced");
    tilespmv_workspace_destroy(&w);
    CHECK(tilespmv_workspace_create(&w, a, TILESPMV_TRANSPOSE, 1, NULL, 0) == TILESPMV_OK);
    CHECK(tilespmv_apply_in(a, TILESPMV_TRANSPOSE, 1, &from, 0, &to, NULL, w) == TILESPMV_OK && y[1] == 6);
    tilespmv_workspace_destroy(&w);
    tilespmv_destroy(&a);
}

/* Several threads multiply by one matrix, by its transpose too, whose form the first of them makes. */
static tilespmv_matrix shared;
static int work(void* failed) {
    double x[400], y[400], z[400];
    tilespmv_workspace w = NULL;
    if (tilespmv_workspace_create(&w, shared, TILESPMV_TRANSPOSE, 1, NULL, 0)) *(int*)failed = 1;
    for (int i = 0; i < 400; ++i) x[i] = 1 + i % 7;
    const tilespmv_block from = {x, 400, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block to = {z, 400, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    for (int round = 0; round < 100; ++round) {
        if (tilespmv_multiply(shared, x, y) ||
            tilespmv_apply_in(shared, TILESPMV_TRANSPOSE, 1, &from, 0, &to, NULL, round % 2 ? w : NULL) ||
            memcmp(y, z, sizeof(y)) != 0)
            *(int*)failed = 1;
    }
    tilespmv_workspace_destroy(&w);
    return 0;
}
static void test_threads(void) {
    thrd_t threads[4];
    int failed[4] = {0};
    CHECK(tilespmv_load(&shared, "gen:laplace2d:n=20", TILESPMV_FLOAT64, kOnCpu) == TILESPMV_OK);
    for (int i = 0; i < 4; ++i) CHECK(thrd_create(&threads[i], work, &failed[i]) == thrd_success);
    for (int i = 0; i < 4; ++i) {
        CHECK(thrd_join(threads[i], NULL) == thrd_success);
        CHECK(!failed[i]);
    }
    tilespmv_destroy(&shared);
}

int main(void) {
    test_products();
    test_blocks_and_transpose();
    test_coo();
    test_refusals();
    test_contract();
    test_solve();
    test_workspaces();
    test_workspace_of_a_form_that_is_gone();
    test_threads();
    if (failures > 0) printf("%d failed\n", failures);
    return failures == 0 ? 0 : 1;
}
