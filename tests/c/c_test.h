/* What the tests of the C interface share. */
#ifndef TILESPMV_TESTS_C_C_TEST_H
#define TILESPMV_TESTS_C_C_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "tilespmv.h"

extern int failures;
#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition); \
            ++failures;                                            \
        }                                                          \
    } while (0)
#define FAILS(status, call, text)                                                                     \
    do {                                                                                              \
        const tilespmv_status got = (call);                                                           \
        CHECK(got == (status));                                                                       \
        if (strstr(tilespmv_last_error(a), (text)) == NULL || strchr(tilespmv_last_error(a), '\n')) { \
            printf("line %d: message '%s'\n", __LINE__, tilespmv_last_error(a));                      \
            ++failures;                                                                               \
        }                                                                                             \
    } while (0)

/* 2 x 3: 1 0 2; 0 -3 0 */
static const int32_t kRowPtrs[] = {0, 2, 3};
static const int64_t kWideRowPtrs[] = {0, 2, 3};
static const int32_t kCols[] = {0, 2, 1};
static const int64_t kWideCols[] = {0, 2, 1};
static const double kValues[] = {1, 2, -3};
static const float kNarrow[] = {1, 2, -3};
static const char* const kOnCpu[] = {"device=cpu", "operator=csr-omp", NULL};

static tilespmv_arrays csr(void) {
    tilespmv_arrays a = {
        TILESPMV_FLOAT64, 2,   3, 3, TILESPMV_INT32, kRowPtrs, TILESPMV_INT32, kCols, kValues, TILESPMV_HOST,
        TILESPMV_COPY,    NULL};
    return a;
}

void test_contract(void);

#endif
