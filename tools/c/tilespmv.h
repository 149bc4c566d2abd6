/* Sparse matrices that multiply fast, for C and whoever calls C. One page with examples: tools/c/README.md.
 *
 *  - Every function that can fail returns a status; `tilespmv_last_error` has the line that says what and why.
 *  - Calls from several threads are safe. Products of one matrix run at once on up to four streams of a GPU, all others
 *    one after the other.
 *  - Nothing here needs C++; the library is linked as `tilespmv` (pkg-config, or the CMake target tilespmv::c). */
#ifndef TILESPMV_H
#define TILESPMV_H

#include <stdint.h>

#if defined(_WIN32)
#define TILESPMV_API
#else
#define TILESPMV_API __attribute__((visibility("default")))
#endif

/* In C++ an enumeration holds what a caller in C may pass, no constant of it too. */
#ifdef __cplusplus
#define TILESPMV_INT : int
#else
#define TILESPMV_INT
#endif

#define TILESPMV_VERSION_MAJOR 0
#define TILESPMV_VERSION_MINOR 1
#define TILESPMV_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* Every status, its number, and what `tilespmv_status_text` says of it. Those up to 4 are exit codes of the command. */
#define TILESPMV_STATUSES(X)                                                 \
    X(TILESPMV_OK, 0, "success")                                             \
    X(TILESPMV_FAILURE, 1, "failure: unreadable input, an error of the GPU") \
    X(TILESPMV_USAGE, 2, "an argument is wrong")                             \
    X(TILESPMV_UNAVAILABLE, 4, "this build or this machine lacks a device")  \
    X(TILESPMV_OUT_OF_MEMORY, 5, "out of memory")                            \
    X(TILESPMV_NOT_CONVERGED, 6, "a solve ended without reaching its tolerance")

typedef enum tilespmv_status TILESPMV_INT {
#define TILESPMV_STATUS(name, number, text) name = number,
    TILESPMV_STATUSES(TILESPMV_STATUS)
#undef TILESPMV_STATUS
} tilespmv_status;

typedef enum tilespmv_type TILESPMV_INT {
    TILESPMV_FLOAT64,
    TILESPMV_FLOAT32,
    TILESPMV_FLOAT16,
    TILESPMV_BFLOAT16
} tilespmv_type;
typedef enum tilespmv_index TILESPMV_INT { TILESPMV_INT32, TILESPMV_INT64 } tilespmv_index;
typedef enum tilespmv_memory TILESPMV_INT { TILESPMV_HOST, TILESPMV_DEVICE } tilespmv_memory;
typedef enum tilespmv_layout TILESPMV_INT { TILESPMV_COLUMN_MAJOR, TILESPMV_ROW_MAJOR } tilespmv_layout;
typedef enum tilespmv_op TILESPMV_INT { TILESPMV_NONE, TILESPMV_TRANSPOSE } tilespmv_op;

/* Whether a matrix has a copy of the caller's arrays, or reads them where they are as long as it lives. */
typedef enum tilespmv_ownership TILESPMV_INT { TILESPMV_COPY, TILESPMV_BORROW } tilespmv_ownership;

/* A sparse matrix with the operator that multiplies by it. */
typedef struct tilespmv_matrix_s* tilespmv_matrix;
/* Where products of one matrix on a GPU work beside its others, see tilespmv_apply_in. */
typedef struct tilespmv_workspace_s* tilespmv_workspace;

/* The arrays of a matrix in CSR or, with a row for each entry in place of row pointers, as COO. */
typedef struct tilespmv_arrays {
    tilespmv_type type;
    int64_t rows, cols, nnz;
    tilespmv_index row_type; /* of `row_ptrs` */
    const void* row_ptrs;    /* CSR: rows + 1 from 0 to nnz, ascending; COO: nnz rows from 0 */
    tilespmv_index col_type;
    const void* cols_of; /* nnz columns from 0, in CSR ascending within a row */
    const void* values;  /* nnz */
    tilespmv_memory memory;
    tilespmv_ownership ownership; /* only arrays of CSR with 32-bit columns can be borrowed */
    void* stream; /* cudaStream_t after whose work arrays on a GPU are read; see tilespmv_from_csr */
} tilespmv_arrays;

/* A dense matrix of the caller's, or a vector: that has one column. */
typedef struct tilespmv_block {
    void* data;
    int64_t rows;
    int32_t cols;
    int64_t ld; /* from a column (a row) to the next, in values; 0: no gap */
    tilespmv_layout layout;
    tilespmv_memory memory;
} tilespmv_block;

/* How a solve ended. Residuals are 2-norms of b - A x, computed from the x that is handed out. */
typedef struct tilespmv_report {
    int converged, iterations;
    double residual, tolerance, rhs_norm, seconds;
    char end[32]; /* "converged", "limit", "stagnated", ... */
} tilespmv_report;

/* MAJOR * 10000 + MINOR * 100 + PATCH of the library that is linked. */
TILESPMV_API int tilespmv_version(void);
TILESPMV_API const char* tilespmv_status_text(tilespmv_status status);
/* The last failure of a call with this matrix, with null of a call of this thread that had none; "" if all went well.
 * Valid until the next call with it. */
TILESPMV_API const char* tilespmv_last_error(tilespmv_matrix a);

/* Options are "name=value", the last a null pointer; null for none:
 *   device=cpu|cuda            where products run (default: a GPU if there is one)
 *   operator=NAME[:option=value,...]   what multiplies, as `tilespmv info` lists them (default: auto) */

/* A matrix in CSR. USAGE for arrays that break its rules, naming the row. *a is null unless the status is OK.
 * Arrays on a GPU with 32-bit columns are checked and put into another form there, for products on that GPU; what is
 * needed to choose and plan goes to the host (row pointers, a part of the columns). Others go by way of the host. */
TILESPMV_API tilespmv_status tilespmv_from_csr(tilespmv_matrix* a, const tilespmv_arrays* csr,
                                               const char* const* options);
/* Entries in any order; those of one place are added up in the order in which they come, and those with a negative row
 * or column are left out. Entries on a GPU whose rows and columns have indices of one type are sorted and added up
 * there, for products on that GPU. */
TILESPMV_API tilespmv_status tilespmv_from_coo(tilespmv_matrix* a, const tilespmv_arrays* coo,
                                               const char* const* options);
/* A file (Matrix Market, plain or compressed, .tar.gz, .tsp) or a generator, "gen:laplace2d:n=100". */
TILESPMV_API tilespmv_status tilespmv_load(tilespmv_matrix* a, const char* name, tilespmv_type type,
                                           const char* const* options);
/* Frees the matrix and makes *a null; work on a GPU must be complete. A null *a is nothing to do. */
TILESPMV_API void tilespmv_destroy(tilespmv_matrix* a);

/* Facts; of a null matrix 0, HOST, FLOAT64 and "". */
TILESPMV_API int64_t tilespmv_rows(tilespmv_matrix a);
TILESPMV_API int64_t tilespmv_cols(tilespmv_matrix a);
TILESPMV_API int64_t tilespmv_nnz(tilespmv_matrix a);
TILESPMV_API tilespmv_type tilespmv_value_type(tilespmv_matrix a);
/* Where it multiplies. */
TILESPMV_API tilespmv_memory tilespmv_device(tilespmv_matrix a);
/* Bytes that are kept to multiply, in all forms. */
TILESPMV_API int64_t tilespmv_bytes(tilespmv_matrix a);
/* Whether two products of the same arrays have the same bits. */
TILESPMV_API int tilespmv_is_reproducible(tilespmv_matrix a);
/* The operator that multiplies; lives until the matrix gets new values or is destroyed. */
TILESPMV_API const char* tilespmv_operator(tilespmv_matrix a);

/* y = A x of vectors on the host: `cols` and `rows` values of the type of the matrix. */
TILESPMV_API tilespmv_status tilespmv_multiply(tilespmv_matrix a, const void* x, void* y);
/* Y = alpha * op(A) * X + beta * Y; beta = 0 does not read Y. Blocks on a GPU are multiplied on the stream
 * (a cudaStream_t, null: the default one) and the call returns before that is complete; those on up to four streams run
 * at once. The first transposed product prepares a second form of the matrix, unless that is symmetric; so does the
 * first of several columns where operator=auto took one that reads the matrix once for each column. */
TILESPMV_API tilespmv_status tilespmv_apply(tilespmv_matrix a, tilespmv_op op, double alpha, const tilespmv_block* x,
                                            double beta, const tilespmv_block* y, void* stream);
/* Bytes on the GPU of a workspace for op(A) times blocks of `cols` columns; 0 for a matrix on the CPU. Like a product it
 * prepares the form of the matrix for them. USAGE for operators of cuSPARSE, which have one of their own only. */
TILESPMV_API tilespmv_status tilespmv_workspace_bytes(tilespmv_matrix a, tilespmv_op op, int32_t cols, int64_t* bytes);
/* A workspace for op(A) times blocks of one column (cols = 1) or of several, however many (cols > 1). memory: as many
 * bytes of the caller's on the GPU, at a multiple of 256, which have to live as long as it; null: the library's. It
 * serves until the matrix is prepared again for new values; the matrix may be destroyed before it. *w is null unless the
 * status is OK. */
TILESPMV_API tilespmv_status tilespmv_workspace_create(tilespmv_workspace* w, tilespmv_matrix a, tilespmv_op op,
                                                       int32_t cols, void* memory, int64_t bytes);
/* Frees the workspace and makes *w null; products in it must be complete. A null *w is nothing to do. */
TILESPMV_API void tilespmv_workspace_destroy(tilespmv_workspace* w);
/* As tilespmv_apply, in a workspace (null: that of the matrix), one product at a time. Products of blocks on a GPU in
 * different workspaces run at once, in the order of their streams alone: streams, too, have to see to it that new values
 * come before or after them. All others are ordered as those of tilespmv_apply. */
TILESPMV_API tilespmv_status tilespmv_apply_in(tilespmv_matrix a, tilespmv_op op, double alpha, const tilespmv_block* x,
                                               double beta, const tilespmv_block* y, void* stream,
                                               tilespmv_workspace w);
/* New values of the nonzeros, in the order of CSR; the pattern stays. They are copied, from a GPU on the stream without
 * waiting, unless the operator has to be made again. */
TILESPMV_API tilespmv_status tilespmv_update_values(tilespmv_matrix a, const void* values, int64_t count,
                                                    tilespmv_memory memory, void* stream);
/* The matrix in CSR, with the values that it has now: rows + 1 row pointers, nnz columns and nnz values of its type, in
 * the memory of the host, or of a GPU after the work of the stream. They are complete when it returns. A matrix keeps its
 * CSR form, whatever form multiplies; one that was made of arrays on a GPU is copied there. */
TILESPMV_API tilespmv_status tilespmv_to_csr(tilespmv_matrix a, int64_t* row_ptrs, int32_t* cols_of, void* values,
                                             tilespmv_memory memory, void* stream);
/* Solves A x = b for a symmetric positive definite A of float64 or float32 by conjugate gradients. b, x: `rows` values
 * in `memory`. Further options: precond=NAME (default: auto), rtol=, atol=, max_iterations=, start_from_x=0|1,
 * null_space=none|constant. NOT_CONVERGED where the tolerance is not reached: x and *report (which may be null) are
 * set. */
TILESPMV_API tilespmv_status tilespmv_solve(tilespmv_matrix a, const void* b, void* x, tilespmv_memory memory,
                                            const char* const* options, tilespmv_report* report);

#ifdef __cplusplus
}
#endif

#endif
