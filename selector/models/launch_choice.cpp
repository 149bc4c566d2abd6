#include "selector/models/launch_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "selector/auto/cost_table.hpp"
#include "selector/csr_shapes.hpp"
#include "selector/work_sizes.hpp"
#include "tile/types.hpp"

namespace tilespmv {
namespace {

constexpr double kOtherKernel = 2;
constexpr int kWarp = 32;

cuda::Gpu gpu_of(const MatrixFeatures& f) { return cuda::measured_gpu(f.value_bytes); }
offset_t tile_rows_of(const MatrixFeatures& f) { return div_up(offset_t{f.rows}, offset_t{kTileSize}); }
double matrix_bytes(std::string_view of_rules, const MatrixFeatures& f) {
    return std::ranges::find(gpu_costs().candidates, of_rules, &Candidate::name)->matrix_bytes(f);
}

/// Nonzeros that a thread asks for at once.
double row_block_choice(const MatrixFeatures& f) {
    using Team = cuda::RowBlockTeam;
    const cuda::Gpu gpu = gpu_of(f);
    const cuda::RowBlockLimits limits = cuda::row_block_limits(f.nnz, Team::kThreads, Team::kNonzeros, gpu);
    return std::log2(
        cuda::row_block_shape(limits.block_nonzeros, Team::kThreads, f.nnz, 0, gpu.tuning.row_blocks).each);
}
cuda::VectorShape vector_shape_of(const MatrixFeatures& f) {
    return cuda::vector_shape(f.row_rounds, cuda::kVectorFlights, gpu_of(f).tuning.vector);
}
double csr_vector_choice(const MatrixFeatures& f) {
    const cuda::VectorShape shape = vector_shape_of(f);
    return std::log2(shape.threads) + (shape.flight > cuda::kVectorFlights.front() ? 1 : 0);
}
double turns_choice(const MatrixFeatures& f) {
    return std::log2(cuda::vector_shape(f.row_rounds, cuda::kTurnFlights, gpu_of(f).tuning.turns).threads);
}

/// Rows of an inode of at most so many.
double alike_rows(const MatrixFeatures& f, int most_rows) {
    return std::clamp(f.inode_rows, 1.0, static_cast<double>(most_rows));
}
/// If inodes are of as many rows as in the mean.
cuda::InodeShape inode_shape(const MatrixFeatures& f) {
    std::array<cuda::InodeLengths, cuda::kInodeRows.size()> mean;
    for (std::size_t i = 0; i < mean.size(); ++i) {
        const double alike = alike_rows(f, cuda::kInodeRows[i]);
        mean[i] = {static_cast<offset_t>(static_cast<double>(f.rows) / alike), f.row_rounds};
        for (auto& rounds : mean[i].rounds) rounds.all = static_cast<offset_t>(static_cast<double>(rounds.all) / alike);
    }
    return cuda::inode_shape(mean, {}, f.sizes(), gpu_of(f));
}
double inode_choice(const MatrixFeatures& f) {
    const cuda::InodeShape shape = inode_shape(f);
    return std::log2(shape.threads * shape.flight);
}

double csr5_choice(const MatrixFeatures& f) { return std::log2(cuda::csr5_sigma(f.rows, f.nnz)); }
double multiround_choice(const MatrixFeatures& f) { return std::log2(multiround_group(f)); }
double sell_choice(const MatrixFeatures& f) { return std::log2(sell_steps_of(f)); }
double dia_choice(const MatrixFeatures& f) {
    return cuda::dia_rows_a_thread(f.rows, f.diagonals, gpu_of(f)) == 2 ? kOtherKernel : 0;
}
double tile_choice(const MatrixFeatures& f) {
    return cuda::slot_limits(f.nnz, tile_rows_of(f), gpu_of(f)).half_values > 0 ? kOtherKernel : 0;
}
double strip_choice(const MatrixFeatures& f) {
    const StripForm form = strip_form(f);
    if (form == StripForm::csr16) return 3 * kOtherKernel;
    const bool by_rank = form == StripForm::ranks;
    const cuda::StripSizes sizes = cuda::strip_sizes(f.rows, f.nnz, gpu_of(f));
    const double lanes = (by_rank ? f.rank_slots : f.strip_slots) > sizes.lane_slots ? kOtherKernel : 0;
    const int blocks = by_rank ? sizes.rank_blocks : sizes.blocks;
    return (by_rank ? -2 * kOtherKernel : 0) + lanes +
           (blocks > gpu_of(f).tuning.strips.blocks_of_few ? kOtherKernel / 2 : 0);
}

double waves_of(const MatrixFeatures& f, double warps, int resident) {
    return warps / (static_cast<double>(gpu_of(f).multiprocessors) * resident);
}
/// By registers, as kernels are compiled for Hopper.
constexpr int kMostWarps = 64;
constexpr int kRowBlockWarps = 40;

double thread_waves(const MatrixFeatures& f, int threads_of_row) {
    return waves_of(f, static_cast<double>(f.rows) * threads_of_row / kWarp, kMostWarps);
}
double row_waves(const MatrixFeatures& f) { return thread_waves(f, 1); }
template <int kThreads>
double fixed_vector_waves(const MatrixFeatures& f) {
    return thread_waves(f, kThreads);
}
double vector_waves(const MatrixFeatures& f) { return thread_waves(f, vector_shape_of(f).threads); }
double row_block_waves(const MatrixFeatures& f) {
    return waves_of(f, f.row_blocks * cuda::RowBlockTeam::kThreads / kWarp, kRowBlockWarps);
}
double inode_waves(const MatrixFeatures& f) {
    const cuda::InodeShape shape = inode_shape(f);
    return waves_of(f, static_cast<double>(f.rows) / alike_rows(f, shape.rows) * shape.threads / kWarp,
                    cuda::inode_warps(shape, f.sizes()));
}
/// Blocks take so many rows and nonzeros, of which slack is kept for rows that begin in them.
double merge_waves(const MatrixFeatures& f) {
    constexpr int kThreads = 128;
    const int items = cuda::merge_items(f.rows + f.nnz, gpu_of(f).tuning.merge);
    const double of_block = kThreads * items * 7.0 / 8;
    const int resident = items > 4 ? 512 / (16 + 4 * items) : 12;
    return waves_of(f, std::ceil(static_cast<double>(f.rows + f.nnz) / of_block), resident);
}
double sell_waves(const MatrixFeatures& f) {
    const auto& rounds = cuda::rounds_of(f.row_rounds, {sell_steps_of(f), 1});
    return waves_of(f, static_cast<double>(rounds.lanes) / kWarp, cuda::sell_warps(f.value_bytes));
}

struct LaunchOption {
    std::string_view name;
    std::string_view options;
    double (*choice)(const MatrixFeatures& f) = nullptr;
    double (*waves)(const MatrixFeatures& f) = nullptr;
};

constexpr std::array kLaunches{
    LaunchOption{"csr16", "", row_block_choice, row_block_waves},
    LaunchOption{"csr-adaptive", "", row_block_choice, row_block_waves},
    LaunchOption{"csr-scalar", "", nullptr, row_waves},
    LaunchOption{"csr-vector", "", csr_vector_choice, vector_waves},
    LaunchOption{"csr-vector", "turns=1", turns_choice},
    LaunchOption{"csr-vector", "threads=2", nullptr, fixed_vector_waves<2>},
    LaunchOption{"csr-vector", "threads=4", nullptr, fixed_vector_waves<4>},
    LaunchOption{"csr-vector", "threads=8", nullptr, fixed_vector_waves<8>},
    LaunchOption{"csr-vector", "threads=16", nullptr, fixed_vector_waves<16>},
    LaunchOption{"csr-vector", "threads=32", nullptr, fixed_vector_waves<32>},
    LaunchOption{"csr-merge", "", nullptr, merge_waves},
    LaunchOption{"csr-inode", "", inode_choice, inode_waves},
    LaunchOption{"csr5", "", csr5_choice},
    LaunchOption{"csr-multiround", "", multiround_choice},
    LaunchOption{"ell", "", nullptr, row_waves},
    LaunchOption{"sell", "", sell_choice, sell_waves},
    LaunchOption{"dia", "", dia_choice},
    LaunchOption{"tile", "updatable=1", tile_choice},
    LaunchOption{"strip", "", strip_choice},
};

/// 0 where there is no such function.
double value_of(double (*LaunchOption::*function)(const MatrixFeatures& f), std::string_view name,
                std::string_view options, const MatrixFeatures& f) {
    const auto* const found = std::ranges::find_if(
        kLaunches, [&](const LaunchOption& one) { return one.name == name && one.options == options; });
    return found == kLaunches.end() || found->*function == nullptr ? 0 : (found->*function)(f);
}

}  // namespace

double launch_waves(std::string_view name, std::string_view options, const MatrixFeatures& f) {
    return value_of(&LaunchOption::waves, name, options, f);
}

double launch_choice(std::string_view name, std::string_view options, const MatrixFeatures& f) {
    return value_of(&LaunchOption::choice, name, options, f);
}

int multiround_group(const MatrixFeatures& f) {
    return cuda::multiround_shape({}, f.rows, f.nnz, gpu_of(f).tuning.multiround).group;
}

double rank_strip_bytes(const MatrixFeatures& f) {
    const auto tile_rows = static_cast<double>(tile_rows_of(f));
    return (static_cast<double>(f.value_bytes) + 2) * kTileSize * f.rank_slots * tile_rows + 12 * tile_rows;
}

StripForm strip_form(const MatrixFeatures& f) {
    constexpr double kMostFar = 0.5;  // of the nonzeros: columns too far from each other for 16 bits
    const cuda::StripSizes sizes = cuda::strip_sizes(f.rows, f.nnz, gpu_of(f));
    const double csr16 = matrix_bytes("csr16", f);
    if (f.strip_slots <= sizes.max_slots && matrix_bytes("strip", f) <= csr16) return StripForm::windows;
    const bool fits = f.rank_slots <= sizes.max_slots && 1 - f.narrow_share <= kMostFar;
    const bool is_short = rank_strip_bytes(f) <= sizes.rank_bytes * csr16;
    return fits && is_short ? StripForm::ranks : StripForm::csr16;
}

}  // namespace tilespmv
