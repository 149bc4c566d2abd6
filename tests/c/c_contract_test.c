/* What tilespmv.h promises: which arguments are refused, empty matrices, who owns arrays, options of solves. */
#include "c_test.h"

/* Each pointer that is needed, and numbers out of range. */
static void test_null_pointers_and_ranges(void) {
    tilespmv_matrix a = NULL;
    double x[3] = {0}, y[2];
    int64_t row_ptrs[3];
    int32_t cols[3];
    const tilespmv_block from = {x, 3, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block to = {y, 2, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const char* const null_matrix = "the matrix is a null pointer";
    FAILS(TILESPMV_USAGE, tilespmv_apply(NULL, TILESPMV_NONE, 1, &from, 0, &to, NULL), null_matrix);
    FAILS(TILESPMV_USAGE, tilespmv_update_values(NULL, x, 3, TILESPMV_HOST, NULL), null_matrix);
    FAILS(TILESPMV_USAGE, tilespmv_to_csr(NULL, row_ptrs, cols, x, TILESPMV_HOST, NULL), null_matrix);
    FAILS(TILESPMV_USAGE, tilespmv_solve(NULL, x, x, TILESPMV_HOST, NULL, NULL), null_matrix);
    FAILS(TILESPMV_USAGE, tilespmv_load(&a, NULL, TILESPMV_FLOAT64, kOnCpu), "the name of the file is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_load(&a, "gen:laplace2d:n=2", (tilespmv_type)-1, kOnCpu), "type -1 of values");
    const char* const narrow[] = {"products of float16 values need a GPU", "products of bfloat16 values need a GPU"};
    for (int i = 0; i < 2; ++i) {
        const tilespmv_type type = i == 0 ? TILESPMV_FLOAT16 : TILESPMV_BFLOAT16;
        FAILS(TILESPMV_USAGE, tilespmv_load(&a, "gen:laplace2d:n=2", type, kOnCpu), narrow[i]);
    }
    FAILS(TILESPMV_USAGE, tilespmv_from_coo(&a, NULL, kOnCpu), "the description of the arrays is a null pointer");
    const struct {
        int64_t rows, cols, nnz;
    } sizes[] = {{2, -1, 3}, {2, 3, -1}, {INT64_C(1) << 31, 3, 3}, {2, INT64_C(1) << 31, 3}};
    for (int i = 0; i < 4; ++i) {
        tilespmv_arrays arrays = csr();
        arrays.rows = sizes[i].rows;
        arrays.cols = sizes[i].cols;
        arrays.nnz = sizes[i].nnz;
        FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, kOnCpu),
              "rows and columns have to be from 0 to 2147483647");
        FAILS(TILESPMV_USAGE, tilespmv_from_coo(&a, &arrays, kOnCpu),
              "rows and columns have to be from 0 to 2147483647");
    }
    tilespmv_arrays arrays = csr();
    arrays.memory = (tilespmv_memory)2;
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, kOnCpu), "memory is neither HOST nor DEVICE");
    arrays = csr();
    arrays.col_type = (tilespmv_index)2;
    FAILS(TILESPMV_USAGE, tilespmv_from_csr(&a, &arrays, kOnCpu), "type 2 of indices");
    arrays = csr();
    CHECK(tilespmv_from_csr(&a, &arrays, kOnCpu) == TILESPMV_OK);
    FAILS(TILESPMV_USAGE, tilespmv_multiply(a, x, NULL), "y is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_apply(a, TILESPMV_NONE, 1, &from, 0, NULL, NULL), "y is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_apply(a, (tilespmv_op)2, 1, &from, 0, &to, NULL), "op is neither");
    const tilespmv_block below = {x, 3, -1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    FAILS(TILESPMV_USAGE, tilespmv_apply(a, TILESPMV_NONE, 1, &below, 0, &to, NULL), "x has 3 rows and -1 columns");
    FAILS(TILESPMV_USAGE, tilespmv_update_values(a, NULL, 3, TILESPMV_HOST, NULL), "the values is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_to_csr(a, NULL, cols, x, TILESPMV_HOST, NULL), "row_ptrs is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_to_csr(a, row_ptrs, NULL, x, TILESPMV_HOST, NULL), "cols_of is a null pointer");
    tilespmv_destroy(&a);
    tilespmv_destroy(NULL);
    CHECK(strcmp(tilespmv_status_text((tilespmv_status)3), "no status of this library") == 0);
}

static void test_empty_matrices(void) {
    tilespmv_matrix a = NULL;
    const int32_t none[] = {0, 0, 0};
    for (int form = 0; form < 6; ++form) { /* 0 x 3, 2 x 0 and 0 x 0, as CSR and as COO */
        tilespmv_arrays arrays = csr();
        arrays.rows = form / 2 == 1 ? 2 : 0;
        arrays.cols = form / 2 == 0 ? 3 : 0;
        arrays.nnz = 0;
        arrays.row_ptrs = form % 2 == 0 ? none : NULL;
        arrays.cols_of = NULL;
        arrays.values = NULL;
        CHECK((form % 2 == 0 ? tilespmv_from_csr : tilespmv_from_coo)(&a, &arrays, kOnCpu) == TILESPMV_OK);
        CHECK(tilespmv_rows(a) == arrays.rows && tilespmv_cols(a) == arrays.cols && tilespmv_nnz(a) == 0);
        const double x[] = {1, 1, 1};
        double y[] = {NAN, NAN, 7};
        int64_t row_ptrs[] = {7, 7, 7};
        CHECK(tilespmv_multiply(a, arrays.cols ? x : NULL, arrays.rows ? y : NULL) == TILESPMV_OK);
        CHECK(arrays.rows == 0 ? y[0] != y[0] : y[0] == 0 && y[1] == 0);
        CHECK(tilespmv_update_values(a, NULL, 0, TILESPMV_HOST, NULL) == TILESPMV_OK);
        CHECK(tilespmv_to_csr(a, row_ptrs, NULL, NULL, TILESPMV_HOST, NULL) == TILESPMV_OK && row_ptrs[0] == 0);
        tilespmv_destroy(&a);
    }
}

/* Borrowed arrays are read where they are, also those that a conversion of others leaves alone; copies are not. */
static void test_ownership(void) {
    for (int borrowed = 0; borrowed < 2; ++borrowed) {
        tilespmv_matrix a = NULL;
        double values[] = {1, 2, -3}, y[2];
        const double x[] = {1, 10, 100};
        tilespmv_arrays arrays = csr();
        arrays.values = values;
        arrays.ownership = borrowed ? TILESPMV_BORROW : TILESPMV_COPY;
        CHECK(tilespmv_from_csr(&a, &arrays, kOnCpu) == TILESPMV_OK);
        values[2] = -4;
        CHECK(tilespmv_multiply(a, x, y) == TILESPMV_OK && y[0] == 201 && y[1] == (borrowed ? -40 : -30));
        tilespmv_destroy(&a);
    }
}

/* The transpose and, of an operator that auto took, blocks have forms of their own, which count. */
static void test_bytes_of_further_forms(void) {
    tilespmv_matrix a = NULL, grid = NULL;
    const tilespmv_arrays arrays = csr();
    CHECK(tilespmv_from_csr(&a, &arrays, kOnCpu) == TILESPMV_OK);
    double u[2] = {1, 10}, v[3];
    const tilespmv_block from = {u, 2, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const tilespmv_block to = {v, 3, 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
    const int64_t before = tilespmv_bytes(a);
    CHECK(tilespmv_apply(a, TILESPMV_TRANSPOSE, 1, &from, 0, &to, NULL) == TILESPMV_OK && tilespmv_bytes(a) > before);
    tilespmv_destroy(&a);
    const char* const automatic[] = {"device=cpu", NULL};
    CHECK(tilespmv_load(&grid, "gen:laplace2d:n=100", TILESPMV_FLOAT32, automatic) == TILESPMV_OK);
    CHECK(tilespmv_value_type(grid) == TILESPMV_FLOAT32 && strcmp(tilespmv_operator(grid), "csr-omp") != 0);
    float* const x = calloc(40000, sizeof(float));
    for (int i = 0; i < 20000; ++i) x[i] = 1 + i / 10000;
    for (int cols = 1; cols < 3; ++cols) {
        const tilespmv_block in = {x, 10000, cols, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
        const tilespmv_block out = {x + 20000, 10000, cols, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
        const int64_t bytes = tilespmv_bytes(grid);
        CHECK(tilespmv_apply(grid, TILESPMV_NONE, 1, &in, 0, &out, NULL) == TILESPMV_OK);
        CHECK(x[20000] == 2 && (cols == 1 ? tilespmv_bytes(grid) == bytes : tilespmv_bytes(grid) > bytes));
    }
    CHECK(x[30000] == 4 && x[30101] == 0);
    free(x);
    tilespmv_destroy(&grid);
}

/* What each option of a solve does, and what is reported. */
static void test_options_of_solves(void) {
    tilespmv_matrix a = NULL;
    tilespmv_report report;
    CHECK(tilespmv_load(&a, "gen:laplace2d:n=8", TILESPMV_FLOAT64, kOnCpu) == TILESPMV_OK);
    double ones[64], b[64], x[64] = {0};
    for (int i = 0; i < 64; ++i) ones[i] = 1;
    CHECK(tilespmv_multiply(a, ones, b) == TILESPMV_OK);
    double norm = 0;
    for (int i = 0; i < 64; ++i) norm += b[i] * b[i];
    norm = sqrt(norm);
#define SOLVES(status, tolerance_of_it, ...)                                                              \
    do {                                                                                                  \
        const char* const options[] = {__VA_ARGS__, NULL};                                                \
        CHECK(tilespmv_solve(a, b, x, TILESPMV_HOST, options, &report) == (status));                      \
        CHECK(fabs(report.tolerance / (tolerance_of_it)-1) < 1e-12);                                      \
        CHECK(report.converged == ((status) == TILESPMV_OK) && fabs(report.rhs_norm / norm - 1) < 1e-12); \
        double residual = 0, ax[64];                                                                      \
        CHECK(tilespmv_multiply(a, x, ax) == TILESPMV_OK);                                                \
        for (int i = 0; i < 64; ++i) residual += (b[i] - ax[i]) * (b[i] - ax[i]);                         \
        CHECK(fabs(sqrt(residual) - report.residual) <= 1e-3 * report.residual + 1e-13);                  \
    } while (0)
    SOLVES(TILESPMV_OK, 1e-8 * norm, "precond=none");
    CHECK(report.iterations > 3 && report.seconds > 0);
    SOLVES(TILESPMV_OK, 1e-3 * norm, "rtol=1e-3");
    SOLVES(TILESPMV_OK, 0.25, "atol=0.25");
    memcpy(x, ones, sizeof x);
    SOLVES(TILESPMV_OK, 1e-8 * norm, "start_from_x=1", "precond=none", "operator=tile-omp");
    CHECK(report.iterations == 0);
    SOLVES(TILESPMV_NOT_CONVERGED, 1e-8 * norm, "start_from_x=0", "precond=none", "max_iterations=1");
    CHECK(report.iterations == 1);
    const char* const one[] = {"max_iterations=1", NULL};
    FAILS(TILESPMV_NOT_CONVERGED, tilespmv_solve(a, b, x, TILESPMV_HOST, one, NULL), "without reaching its tolerance");
    const struct {
        const char *option, *text;
    } wrong[] = {{"precond=magic", "magic"},
                 {"operator=magic", "unknown operator 'magic'"},
                 {"null_space=all", "option null_space=all: expected none, constant"},
                 {"start_from_x=2", "option start_from_x=2: expected 0, 1"},
                 {"max_iterations=-1", "expected 0 to 2147483647"},
                 {"max_iterations=3e9", "expected 0 to 2147483647"},
                 {"rtol=1e-3x", "expected a number"},
                 {"colour=red", "unknown option 'colour'"},
                 {"=1", "expected name=value"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const char* const options[] = {wrong[i].option, NULL};
        FAILS(TILESPMV_USAGE, tilespmv_solve(a, b, x, TILESPMV_HOST, options, NULL), wrong[i].text);
    }
    const char* const singular[] = {"null_space=constant", NULL};
    FAILS(TILESPMV_FAILURE, tilespmv_solve(a, b, x, TILESPMV_HOST, singular, NULL), "row");
    FAILS(TILESPMV_USAGE, tilespmv_solve(a, NULL, x, TILESPMV_HOST, NULL, NULL), "b is a null pointer");
    FAILS(TILESPMV_USAGE, tilespmv_solve(a, b, NULL, TILESPMV_HOST, NULL, NULL), "x is a null pointer");
    tilespmv_destroy(&a);
}

void test_contract(void) {
    test_null_pointers_and_ranges();
    test_empty_matrices();
    test_ownership();
    test_bytes_of_further_forms();
    test_options_of_solves();
}
