#include <algorithm>

#include "selector/auto/work_terms.hpp"
#include "selector/csr_shapes.hpp"

namespace tilespmv {
namespace {

double inode_rows(const MatrixFeatures& f) { return std::clamp<double>(f.inode_rows, 1, kInodeRows.back()); }

double csr_inode_bytes(const MatrixFeatures& f) {
    return 16 * rows_of(f) / inode_rows(f) + (4 / inode_rows(f) + value_of(f)) * nnz_of(f);
}

void csr_inode_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::x_sectors) = nnz_of(f) * f.x_sectors / inode_rows(f);
    of(work, Term::rows) = rows_of(f) / inode_rows(f);
    of(work, Term::chain) = static_cast<double>(f.longest_row) / 64;  // columns of a round
}

/// Rows in pairs at least, inodes enough for the GPU, and none that keeps its threads for long.
bool suits_csr_inode(const MatrixFeatures& f) {
    const auto longest = static_cast<double>(f.longest_row);
    return f.inode_rows >= 1.8 && rows_of(f) >= 650 * inode_rows(f) && longest <= 4 * f.mean_row + 16 &&
           longest <= 1024;
}

}  // namespace

KnownOperator known_of_csr_inode() {
    return {.name = "csr-inode",
            .candidates = {{.matrix_bytes = csr_inode_bytes, .adapt = csr_inode_work, .suits = suits_csr_inode}},
            .costs = {
                {"csr-inode", 8, {3.0e-7, 0.98, 0, 4.8e-12, 2.8e-11, 0}, {8e-5, 5e-10, 7e-9, 0}},
                {"csr-inode", 4, {1.5e-7, 1.10, 0, 6.4e-12, 2.8e-11, 0}, {8e-5, 3e-10, 7e-9, 0}},
                {"csr-inode", 4, {1.6e-7, 1.10, 0, 8e-12, 2.8e-11, 0}, {8e-5, 3e-10, 7e-9, 0}, 4},
                {"csr-inode", 2, {2.0e-7, 1.35, 0, 4.3e-12, 2.5e-11, 0}, {8e-5, 3e-10, 7e-9, 0}},
            }};
}

}  // namespace tilespmv
