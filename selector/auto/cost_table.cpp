#include "selector/auto/cost_table.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "selector/auto/costs.hpp"
#include "selector/auto/rank_operators.hpp"
#include "selector/work_sizes.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

double nnz_of(const MatrixFeatures& f) { return static_cast<double>(f.nnz); }
double rows_of(const MatrixFeatures& f) { return static_cast<double>(f.rows); }
double value_of(const MatrixFeatures& f) { return static_cast<double>(f.value_bytes); }
double csr_bytes(const MatrixFeatures& f) {
    const double row_ptr = nnz_of(f) < 0x1p31 ? 4 : 8;
    return row_ptr * rows_of(f) + (4 + value_of(f)) * nnz_of(f);
}
/// A row has 2 bytes in its block, a block of 512 nonzeros has 32.
double csr16_bytes(const MatrixFeatures& f) {
    const double code = 2 * f.narrow_share + 4 * (1 - f.narrow_share);
    return 2 * rows_of(f) + (code + value_of(f) + 32.0 / 512) * nnz_of(f);
}
double csr_adaptive_bytes(const MatrixFeatures& f) { return csr_bytes(f) + 32.0 / 512 * nnz_of(f); }
double ell_places(const MatrixFeatures& f) { return static_cast<double>(f.longest_row) * rows_of(f); }
double ell_bytes(const MatrixFeatures& f) { return (4 + value_of(f)) * ell_places(f); }

/// Where blocks of about 512 nonzeros, of fewer on small matrices, share the longest row: the steps of a sum over them.
/// Costs were fitted with this; csr16 and csr-adaptive have had longer pieces since.
void shared_row_work(const MatrixFeatures& f, Work& work) {
    const double block = std::clamp(nnz_of(f) / (16 * 132), 128.0, 512.0);
    const double pieces = static_cast<double>(f.longest_row) / block;
    of(work, Term::chain) = pieces > 1 ? 1 + std::log2(pieces) : 0;
}

/// No row keeps a warp for long. With rows of 775 it takes 0.78 of the time of csr-adaptive, with 1,194 1.17 times it.
bool suits_csr_vector(const MatrixFeatures& f) {
    const auto longest = static_cast<double>(f.longest_row);
    return longest <= 8 * f.mean_row + 64 && longest <= 2048 && f.mean_row <= 900;
}
/// The rounds of the shape that csr-vector chooses, in full ones of a warp, and those of the longest row. Costs were
/// fitted with what rounds were taken to take then.
void add_rounds(const MatrixFeatures& f, const cuda::VectorShape& shape, Work& work) {
    constexpr double kRequests = 24;
    constexpr double kDeepLanes = 1.75;
    const double lanes = shape.threads * (shape.flight > 4 ? kDeepLanes : 1);
    const cuda::RowRounds& rounds = cuda::rounds_of(f.row_rounds, shape);
    of(work, Term::rows) = static_cast<double>(rounds.all) * (kRequests + lanes) / (kRequests + 32);
    of(work, Term::chain) = static_cast<double>(rounds.longest);
}
cuda::VectorShape turns_shape(const MatrixFeatures& f) {
    return cuda::vector_shape(f.row_rounds, cuda::kTurnFlights, cuda::Tuning{}.turns);
}
void csr_vector_work(const MatrixFeatures& f, Work& work) {
    add_rounds(f, cuda::vector_shape(f.row_rounds, cuda::kVectorFlights, {}), work);
}
/// What a block has met of x stays in its multiprocessor, but for a part: it holds other things, too.
void csr_vector_turns_work(const MatrixFeatures& f, Work& work) {
    add_rounds(f, turns_shape(f), work);
    of(work, Term::x_sectors) = nnz_of(f) * (0.5 * f.piece_sectors + 0.5 * f.x_sectors);
}
/// Enough rows for several turns of a GPU full of threads, and much of x, far from each other in a row, met again: with
/// 2.3 turns `wave` took 1.05 to 1.5 of the time without, uniform columns 1.07, a KKT matrix, whose rows have
/// neighbouring columns, 1.14. Of uneven rows one keeps the others waiting: 2.4 times sell on a KKT matrix. Only
/// measured to gain in float64.
bool suits_csr_vector_turns(const MatrixFeatures& f) {
    constexpr double kTurn = 132 * 2048;
    return suits_csr_vector(f) && f.value_bytes == 8 && rows_of(f) * turns_shape(f).threads >= 4 * kTurn &&
           f.x_sectors >= 0.3 && f.piece_sectors <= 0.5 * f.x_sectors &&
           static_cast<double>(f.longest_row) <= 2 * f.mean_row;
}
/// A thread a row: lanes of a warp wait for the longest of theirs.
void csr_scalar_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::chain) = static_cast<double>(f.longest_row);
}
/// Roads: neighbouring threads then read neighbouring nonzeros. On 5 nonzeros a row csr-vector is 1.2 x as fast, on 2
/// it takes 1.3 to 1.4 of the time.
bool suits_csr_scalar(const MatrixFeatures& f) { return f.mean_row >= 1 && f.mean_row <= 4 && f.longest_row <= 8; }
double inode_rows(const MatrixFeatures& f) { return std::clamp<double>(f.inode_rows, 1, cuda::kInodeRows.back()); }
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

void ell_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = ell_places(f);
    of(work, Term::chain) = static_cast<double>(f.longest_row);
}
double tile_rows_of(const MatrixFeatures& f) { return std::ceil(rows_of(f) / kTileSize); }
double strip_places(const MatrixFeatures& f) { return kTileSize * f.strip_slots * tile_rows_of(f); }
/// 16 values a slot, its base and 16 codes of 4 bits where no strip before had the same, half a byte of masks for four.
double strip_bytes(const MatrixFeatures& f) {
    const double own_slots = f.strip_slots * tile_rows_of(f) * (1 - f.repeated_strips);
    return value_of(f) * strip_places(f) + 14 * own_slots + 6 * tile_rows_of(f);
}
/// Its blocks take four strips a step, short ones in up to four steps, and fill the GPU up to three times, one time
/// after the other.
void strip_work(const MatrixFeatures& f, Work& work) {
    constexpr double kShortStrip = 11, kSteps = 4;
    const cuda::Gpu gpu = cuda::measured_gpu(f.value_bytes);
    const double blocks = gpu.multiprocessors * cuda::strip_sizes(f.rows, f.nnz, gpu).blocks;
    const double wave = 4 * blocks * (f.strip_slots <= kShortStrip ? kSteps : 1);
    of(work, Term::nonzeros) = strip_places(f);
    of(work, Term::rows) = tile_rows_of(f);
    of(work, Term::chain) = std::clamp(tile_rows_of(f) / wave, 1.0, 3.0) - 1;
}
/// What rows much longer than others have at most, if they are alike: squares of lengths over the longest.
double in_long_rows(const MatrixFeatures& f) {
    return f.row_deviation * f.row_deviation * rows_of(f) / std::max<double>(static_cast<double>(f.longest_row), 1);
}
/// Whether rows are even, but for some so long that csr16 multiplies them beside the strips (arrow matrices).
bool has_even_strips(const MatrixFeatures& f) {
    const auto longest = static_cast<double>(f.longest_row);
    return longest <= 6 * f.mean_row + 16 ||
           (longest > kTileSize * cuda::StripTuning{}.max_slots && in_long_rows(f) <= 0.25 * nnz_of(f));
}
/// Elsewhere it executes csr16, or strips are too few or too uneven to keep the GPU busy.
bool suits_strip(const MatrixFeatures& f) {
    const double slots = f.mean_row / std::max((1 - f.empty_rows) * f.strip_fill, 1e-3);  // of tile rows with nonzeros
    return f.nnz >= 1'000'000 && f.rows >= 20'000 && f.strip_fill >= 0.75 && slots <= cuda::StripTuning{}.max_slots &&
           has_even_strips(f) && strip_bytes(f) < csr16_bytes(f);
}

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

/// Whether x of hubs does not come from L2: of those that `hub_share` counts, fewer than the operator has.
bool has_sell_hubs(const MatrixFeatures& f) {
    const cuda::HubTuning& hubs = cuda::tuning_for(90, f.value_bytes).hubs;
    return f.hub_share < 1 && f.hub_share >= hubs.min_share && f.x_sectors >= hubs.min_scattered &&
           nnz_of(f) * f.hub_share >= static_cast<double>(hubs.min_nonzeros);
}
/// A place has a column of 2 or 4 bytes, a row with nonzeros 4 bytes and half of a slice of 16, an empty row one bit.
double sell_bytes(const MatrixFeatures& f) {
    const bool is_narrow = cuda::sell_code_bytes(f.cols) == 2 && !has_sell_hubs(f);
    const double filled = rows_of(f) * (1 - f.empty_rows);
    return ((is_narrow ? 2 : 4) + value_of(f)) * 1.02 * nnz_of(f) + 4.5 * filled + rows_of(f) / 8;
}
/// Where rows differ, those of a slice lie far from each other in y. A chain: blocks wait for others that have pieces
/// of the same row.
void sell_work(const MatrixFeatures& f, Work& work) {
    constexpr offset_t kLanes = 32 * 8;  // of a block
    const int steps = sell_steps_of(f);
    const offset_t whole_row = 2 * kLanes * steps;
    of(work, Term::x_sectors) = nnz_of(f) * f.x_sectors * (has_sell_hubs(f) ? 1 - f.hub_share : 1);
    of(work, Term::rows) = rows_of(f) * (1 - f.empty_rows) * std::min(1.0, 2 * f.row_deviation);
    of(work, Term::chain) = f.longest_row > whole_row ? 1 : 0;
}
/// While it is made, CSR and slices are both on the GPU, twice the memory of others.
constexpr offset_t kMostSellNonzeros = offset_t{1} << 31;

/// Not if a row is a tenth of the matrix. Where hardly a row has a nonzero, one bit tells, where others read a row
/// pointer: from half a million nonzeros on, but not in float64, where csr16 is faster. Between was not measured.
bool suits_sell(const MatrixFeatures& f) {
    if (f.nnz > kMostSellNonzeros) return false;
    if (f.mean_row <= 0.25) return f.nnz >= 500'000 && f.value_bytes < 8;
    return f.mean_row >= 0.6 && 10 * f.longest_row <= f.nnz;
}

double dia_places(const MatrixFeatures& f) { return rows_of(f) * static_cast<double>(f.diagonals); }
/// A bit for each place.
double dia_bytes(const MatrixFeatures& f) { return (value_of(f) + 1.0 / 8) * dia_places(f); }
/// Padding is multiplied; a diagonal reads x in order.
void dia_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = dia_places(f);
    of(work, Term::x_sectors) = dia_places(f) * value_of(f) / 32;
    of(work, Term::chain) = std::ceil(static_cast<double>(f.diagonals) / 8);  // groups
    of(work, Term::rows) = rows_of(f) * of(work, Term::chain);
}
/// Diagonals nearly as full as rows: then all of them were counted.
bool suits_dia(const MatrixFeatures& f) {
    return f.nnz > 0 && f.diagonals < kMostDiagonals && dia_places(f) <= kMostDiaPlaces * nnz_of(f);
}

/// Even rows: ELL is refused long after it has ceased to pay.
bool suits_ell(const MatrixFeatures& f) { return f.nnz > 0 && ell_places(f) <= 1.5 * nnz_of(f); }

constexpr std::array kGpuCandidates{
    Candidate{.name = "csr16", .matrix_bytes = csr16_bytes, .adapt = shared_row_work},
    Candidate{.name = "strip", .matrix_bytes = strip_bytes, .adapt = strip_work, .suits = suits_strip},
    Candidate{.name = "tile",
              .options = "updatable=1",
              .is_made_from_tiles = true,
              .matrix_bytes = tile_bytes,
              .adapt = tile_work,
              .suits = suits_tile,
              .prepared_as = "csr-vector"},  // straight from CSR; measured are all tiles, with a conversion
    Candidate{.name = "sell", .matrix_bytes = sell_bytes, .adapt = sell_work, .suits = suits_sell},
    Candidate{.name = "csr-merge", .matrix_bytes = csr_bytes, .adapt = shared_row_work},
    Candidate{.name = "csr-adaptive", .matrix_bytes = csr_adaptive_bytes, .adapt = shared_row_work},
    Candidate{.name = "csr-vector", .matrix_bytes = csr_bytes, .adapt = csr_vector_work, .suits = suits_csr_vector},
    Candidate{.name = "csr-vector",
              .options = "turns=1",
              .matrix_bytes = csr_bytes,
              .adapt = csr_vector_turns_work,
              .suits = suits_csr_vector_turns},
    Candidate{.name = "csr-scalar", .matrix_bytes = csr_bytes, .adapt = csr_scalar_work, .suits = suits_csr_scalar},
    Candidate{.name = "csr-inode", .matrix_bytes = csr_inode_bytes, .adapt = csr_inode_work, .suits = suits_csr_inode},
    Candidate{.name = "ell", .matrix_bytes = ell_bytes, .adapt = ell_work, .suits = suits_ell},
    Candidate{.name = "dia", .matrix_bytes = dia_bytes, .adapt = dia_work, .suits = suits_dia},
};

/// Row pointers have 8 bytes on the CPU.
double csr_omp_bytes(const MatrixFeatures& f) { return 8 * rows_of(f) + (4 + value_of(f)) * nnz_of(f); }
/// By the selector `bytes`: about 15 bytes for a tile and half a byte for a nonzero, until that is more than CSR takes.
double bytes_in_tiles(const MatrixFeatures& f) {
    const double tiles = f.tile_nonzeros > 0 ? nnz_of(f) / f.tile_nonzeros : 0;
    return (value_of(f) + 0.5) * nnz_of(f) + 15 * tiles;
}
double tile_omp_bytes(const MatrixFeatures& f) { return std::min(csr_omp_bytes(f), bytes_in_tiles(f)); }

bool is_in_cpu_cache(const MatrixFeatures& f) { return bytes_in_csr(f) <= kCached; }
/// A product of fewer takes a microsecond or two as CSR.
bool is_worth_converting(const MatrixFeatures& f) { return f.nnz >= 5'000; }

void csr_omp_work(const MatrixFeatures& f, Work& work) {
    if (is_in_cpu_cache(f)) of(work, Term::rows) = rows_of(f) * (1 - f.empty_rows);
}

/// Each tile, and the nonzeros of those that are not full, whose columns are looked up.
void tile_omp_work(const MatrixFeatures& f, Work& work) {
    if (!is_in_cpu_cache(f) || f.tile_nonzeros <= 0) return;
    of(work, Term::nonzeros) = nnz_of(f) * (1 - f.tile_nonzeros / kFullTile);
    of(work, Term::rows) = nnz_of(f) / f.tile_nonzeros;
}
/// Elsewhere nearly all is left to CSR, and the conversion buys nothing; or a tile row has hundreds of tiles with
/// little in them: 1.3 to 2.2 times the time of CSR (`lp_nw04`, `lp_fit2d`, `blogcatalog3`).
bool suits_tile_omp(const MatrixFeatures& f) {
    constexpr double kMostTiles = 256;  // of a tile row
    return is_worth_converting(f) && bytes_in_tiles(f) < csr_omp_bytes(f) &&
           kTileSize * f.mean_row <= kMostTiles * f.tile_nonzeros;
}

/// By all nonzeros: a sample of tile rows may miss the long ones.
double strip_omp_places(const MatrixFeatures& f) { return f.strip_fill > 0 ? nnz_of(f) / f.strip_fill : 0; }
double strip_omp_bytes(const MatrixFeatures& f) {
    const double slots = strip_omp_places(f) / kTileSize;
    return value_of(f) * strip_omp_places(f) + 14 * slots * (1 - f.repeated_strips) + 6 * tile_rows_of(f);
}
/// The columns of a strip whose pattern is its own are read and looked up, those of others are known.
void strip_omp_work(const MatrixFeatures& f, Work& work) {
    constexpr double kOwn = 2;
    if (!is_in_cpu_cache(f)) return;
    of(work, Term::nonzeros) = strip_omp_places(f) * (1 + kOwn * (1 - f.repeated_strips));
    of(work, Term::rows) = tile_rows_of(f);
}
/// Elsewhere much of it is left to CSR: a slot with columns of its own has to take fewer bytes, rows are not too long
/// for strips, and those of the sample stand for most of the matrix.
bool suits_strip_omp(const MatrixFeatures& f) {
    const double slot_bytes = kTileSize * value_of(f) + 14;
    return is_worth_converting(f) && f.strip_fill >= 0.7 && slot_bytes < kTileSize * f.strip_fill * (value_of(f) + 4) &&
           f.mean_row <= cuda::StripTuning{}.max_slots * f.strip_fill &&
           strip_places(f) * f.strip_fill >= 0.5 * nnz_of(f) && strip_omp_bytes(f) < csr_omp_bytes(f);
}

bool may_pad(const MatrixFeatures& f) { return is_worth_converting(f) && is_in_cpu_cache(f); }
bool suits_dia_omp(const MatrixFeatures& f) { return may_pad(f) && suits_dia(f); }
bool suits_ell_omp(const MatrixFeatures& f) { return may_pad(f) && suits_ell(f); }

double hyb_places(const MatrixFeatures& f) { return rows_of(f) * static_cast<double>(f.hyb_width); }
double in_coo(const MatrixFeatures& f) { return f.hyb_rest * nnz_of(f); }
double hyb_bytes(const MatrixFeatures& f) { return (4 + value_of(f)) * hyb_places(f) + (8 + value_of(f)) * in_coo(f); }
/// A nonzero of COO takes as long as some places of ELL.
void hyb_omp_work(const MatrixFeatures& f, Work& work) {
    constexpr double kCoo = 3;
    of(work, Term::nonzeros) = hyb_places(f) + kCoo * in_coo(f);
}
bool suits_hyb_omp(const MatrixFeatures& f) {
    return may_pad(f) && f.hyb_rest <= 0.7 && hyb_places(f) + in_coo(f) <= 2 * nnz_of(f);
}

constexpr std::array kCpuCandidates{
    Candidate{.name = "csr-omp", .matrix_bytes = csr_omp_bytes, .adapt = csr_omp_work},
    Candidate{.name = "strip-omp", .matrix_bytes = strip_omp_bytes, .adapt = strip_omp_work, .suits = suits_strip_omp},
    Candidate{.name = "tile-omp",
              .is_made_from_tiles = true,
              .matrix_bytes = tile_omp_bytes,
              .adapt = tile_omp_work,
              .suits = suits_tile_omp},
    Candidate{.name = "dia-omp", .matrix_bytes = dia_bytes, .adapt = dia_work, .suits = suits_dia_omp},
    Candidate{.name = "ell-omp", .matrix_bytes = ell_bytes, .adapt = ell_work, .suits = suits_ell_omp},
    Candidate{.name = "hyb-omp", .matrix_bytes = hyb_bytes, .adapt = hyb_omp_work, .suits = suits_hyb_omp},
};

}  // namespace

const CostTable& gpu_costs() {
    static const CostTable table{"NVIDIA H200", "bench/NOTES.md, \"auto\"", kGpuCandidates, gpu_operator_costs()};
    return table;
}

const CostTable& cpu_costs(int lanes) {
    static const CostTable wide{"two threads of an EPYC and a Xeon", "bench/NOTES.md, \"auto\"", kCpuCandidates,
                                cpu_operator_costs()};
    static const CostTable narrow{"a Xeon held to AVX2", "bench/NOTES.md, \"AVX2\"", kCpuCandidates,
                                  narrow_cpu_operator_costs()};
    return lanes < kMostLanes ? narrow : wide;
}

double bytes_in_csr(const MatrixFeatures& f) { return csr_omp_bytes(f) + vector_bytes(f); }

const Cost& cost_of(const CostTable& table, std::string_view name, const NumberSizes& sizes, double bytes) {
    const auto away = [&](const Cost& cost) {
        return std::tuple(distance(cost.sizes(), sizes), cost.most_bytes < bytes, cost.most_bytes);
    };
    const Cost* nearest = nullptr;
    for (const Cost& cost : table.costs) {
        if (cost.name == name && (nearest == nullptr || away(cost) < away(*nearest))) nearest = &cost;
    }
    if (nearest != nullptr) return *nearest;
    throw Error(fmt::format("no costs of operator {} on {}: add them to selector/auto/costs.cpp", name, table.machine));
}

}  // namespace tilespmv
