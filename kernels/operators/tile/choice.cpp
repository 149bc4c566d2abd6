#include <algorithm>

#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

constexpr double kFullTile = kTileSize * kTileSize;

/// A full tile has 8 bytes beside its values, a run of eight, or of a tile row with fewer, 24.
double tile_bytes(const MatrixFeatures& f) {
    const double tiles = nnz_of(f) / kFullTile;
    return value_of(f) * nnz_of(f) + 8 * tiles + 24 * std::max(tiles / 8, tile_rows_of(f));
}

/// A tile reads its 16 elements of x once, as sectors of 32 bytes.
void tile_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::x_sectors) = nnz_of(f) / kFullTile * kTileSize * value_of(f) / 32;
    of(work, Term::rows) = tile_rows_of(f);
}

/// One tile row that is not full takes the kernel of slots for all of them, which leaves the memory idle here. Tile
/// rows of fewer than four tiles were not measured: a block of threads has little to do for each.
bool suits_tile(const MatrixFeatures& f) {
    return f.nnz >= 1'000'000 && f.full_tile_share == 1 && f.mean_row >= 4 * kTileSize;
}

/// By the selector `bytes`: about 15 bytes for a tile and half a byte for a nonzero, until that is more than CSR takes.
double bytes_in_tiles(const MatrixFeatures& f) {
    const double tiles = f.tile_nonzeros > 0 ? nnz_of(f) / f.tile_nonzeros : 0;
    return (value_of(f) + 0.5) * nnz_of(f) + 15 * tiles;
}

double tile_omp_bytes(const MatrixFeatures& f) { return std::min(bytes_as_csr(f), bytes_in_tiles(f)); }

/// Each tile, and the nonzeros of those that are not full, whose columns are looked up.
void tile_omp_work(const MatrixFeatures& f, Work& work) {
    if (!is_in_cpu_cache(f) || f.tile_nonzeros <= 0) return;
    of(work, Term::nonzeros) = nnz_of(f) * (1 - f.tile_nonzeros / (kTileSize * kTileSize));
    of(work, Term::rows) = nnz_of(f) / f.tile_nonzeros;
}

/// Where tiles are nearly full, which most rules store as dense ones. What others cost depends on more than features
/// tell: on 55 real matrices and 18 generated ones tile-omp was the fastest by more than 5% on 8, and where it was
/// predicted to be the fastest it took up to 3 times as long as strip-omp (`maros_BOYD1_KKT`, `movielens_1m`).
bool suits_tile_omp(const MatrixFeatures& f) {
    return is_worth_converting(f) && f.tile_nonzeros >= 0.75 * kTileSize * kTileSize;
}

}  // namespace

KnownOperator known_of_tile() {
    /// Prepared straight from CSR; measured are all tiles, with a conversion.
    return {.name = "tile",
            .candidates = {{.options = "updatable=1",
                            .is_made_from_tiles = true,
                            .matrix_bytes = tile_bytes,
                            .adapt = tile_work,
                            .suits = suits_tile,
                            .prepared_as = "csr-vector"}},
            .costs = {
                {"tile", 8, {5.0e-6, 1.00, 0, 4.0e-12, 0, 0}, {9e-4, 4.0e-9, 0, 0}},
                {"tile", 4, {2.0e-6, 1.00, 0, 4.0e-12, 0, 0}, {9e-4, 4.0e-9, 0, 0}, 4},
            }};
}

KnownOperator known_of_tile_omp() {
    // Tiles have a term of their own.
    return {.name = "tile-omp",
            .candidates = {{.is_made_from_tiles = true,
                            .matrix_bytes = tile_omp_bytes,
                            .adapt = tile_omp_work,
                            .suits = suits_tile_omp}},
            .without_avx512 = {2.6, 2.6, 1.9},
            .costs = {
                {"tile-omp", 8, {0, 5.5e-12, 1.0e-10, 1.02e-10, 2.65e-9, 0}, {3e-5, 9.7e-10, 2.8e-9, 4.7e-8}, 8, kNear},
                {"tile-omp", 8, {0, 7.4e-12, 7.4e-11, 3.3e-11, 3.3e-9, 0}, {0, 1.8e-9, 2.1e-10, 4.5e-8}, 8, kCached},
                {"tile-omp", 8, {0, 2.27e-11, 0, 5.4e-10, 1.84e-9, 0}, {1e-5, 2.2e-9, 3.3e-8, 8.4e-9}},
                {"tile-omp", 4, {0, 5.4e-12, 1.1e-10, 1.5e-10, 1.9e-9, 0}, {3.3e-5, 1e-9, 2.9e-9, 4.1e-8}, 8, kNear},
                {"tile-omp", 4, {0, 5.3e-12, 8.9e-11, 1.2e-10, 2.3e-9, 0}, {0.00044, 1.1e-9, 1.6e-9, 4e-8}, 8, kCached},
                {"tile-omp", 4, {0, 2.0e-12, 0, 1.7e-9, 1.6e-9, 0}, {1e-5, 2.2e-9, 3.3e-8, 8.4e-9}},
            }};
}

}  // namespace tilespmv
