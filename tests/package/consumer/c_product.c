#include <stdio.h>
#include <tilespmv.h>

int main(void) { /* y = A x for A = 1 0 2; 0 -3 0 */
    const int32_t row_ptrs[] = {0, 2, 3}, cols[] = {0, 2, 1};
    const double values[] = {1, 2, -3}, x[] = {1, 10, 100};
    double y[2];
    const tilespmv_arrays csr = {
        .rows = 2, .cols = 3, .nnz = 3, .row_ptrs = row_ptrs, .cols_of = cols, .values = values};
    tilespmv_matrix a;
    if (tilespmv_from_csr(&a, &csr, NULL) || tilespmv_multiply(a, x, y)) return 1;
    printf("%g %g\n", y[0], y[1]);
    tilespmv_destroy(&a);
    return 0;
}
