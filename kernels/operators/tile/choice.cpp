#include <algorithm>
#include <array>

#include "selector/auto/work_terms.hpp"
#include "selector/work_sizes.hpp"

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

double tile_choice(const MatrixFeatures& f) {
    return slot_limits(f.nnz, div_up(offset_t{f.rows}, offset_t{kTileSize}), gpu_of(f)).half_values > 0 ? kOtherKernel
                                                                                                        : 0;
}

/// Prepared straight from CSR; measured are all tiles, with a conversion.
constexpr std::array kTileCandidates{Candidate{.name = "tile",
                                               .options = "updatable=1",
                                               .is_made_from_tiles = true,
                                               .matrix_bytes = tile_bytes,
                                               .adapt = tile_work,
                                               .suits = suits_tile,
                                               .prepared_as = "csr-vector",
                                               .choice = tile_choice}};
constexpr std::array kTileCosts{
    Cost{"tile", 8, {5.0e-6, 1.00, 0, 4.0e-12, 0, 0}, {9e-4, 4.0e-9, 0, 0}},
    Cost{"tile", 4, {2.0e-6, 1.00, 0, 4.0e-12, 0, 0}, {9e-4, 4.0e-9, 0, 0}, 4},
};

}  // namespace

extern const KnownOperator kTile{.candidates = kTileCandidates, .costs = kTileCosts};

}  // namespace tilespmv
