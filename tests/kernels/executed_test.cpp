// What operators say they execute: on the CPU, and of the work that is laid out for a GPU.
#include "tests/support/executed.hpp"

#include "kernels/executed.hpp"
#include "kernels/operators/tile/tile_work.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/threads.hpp"

namespace tilespmv::testing {
namespace {

using Positions = std::set<std::pair<index_t, index_t>>;
using Parts = std::vector<ExecutedPart>;

const Gpu kSmallGpu{.multiprocessors = 1, .warps = 2};

void fill(Positions& positions, index_t first_row, index_t end_row, index_t end_col) {
    for (index_t r = first_row; r < end_row; ++r) {
        for (index_t c = 0; c < end_col; ++c) positions.insert({r, c});
    }
}

/// 80 x 160 by `paper-deferred`: two tile rows of two full tiles, the second beside a deferred nonzero; one of a full
/// tile and a row of another; one with two deferred nonzeros alone, in two rows; an empty one.
CsrMatrix<double> of_all_kinds() {
    Positions positions{{20, 100}, {50, 0}, {63, 159}};
    fill(positions, 0, 32, 32);
    fill(positions, 32, 48, 16);
    for (index_t c = 32; c < 48; ++c) positions.insert({35, c});
    return matrix_of(80, 160, positions);
}

template <class V>
class ExecutedOnCpu : public ::testing::Test {};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(ExecutedOnCpu, ValueTypes);

TYPED_TEST(ExecutedOnCpu, EveryOperatorAccountsForEveryNonzeroAndByte) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        for (const auto& selector : selectors()) {
            SCOPED_TRACE(std::string(selector.name));
            const auto tiles = convert(csr, *make_policy(selector.name));
            for (const auto& info : operators<V>(Backend::cpu)) {
                if (info.made_from == Form::csr && &selector != &selectors().front()) continue;  // the same for all
                const auto a = unless_refused(info, [&] { return make_operator<V>(info.name, {csr, tiles}); });
                if (a) expect_executed(*a);
            }
        }
    }
}

TEST(ExecutedOnCpu, CsrIsOnePartOfTheTileRowsThatHaveNonzeros) {
    const auto csr = of_all_kinds();
    for (const auto* name : {"reference", "csr-omp"}) {
        const auto a = make_operator<double>(name, csr);
        EXPECT_EQ(a->executed(), (Parts{{"csr", "", 4, csr.nnz(), a->matrix_bytes()}})) << name;
    }
}

TEST(ExecutedOnCpu, TilesArePartsByFormatAndTheDeferredNonzerosAreOne) {
    const auto csr = of_all_kinds();
    const auto tiles = convert(csr, *make_policy("paper-deferred"));
    // 28 bytes for each of three tile rows and 24 for the ends, by nonzeros: 1280, 16 and 3 of 1299.
    constexpr std::uint64_t shared = 28 * 3 + 24;
    constexpr std::uint64_t dense = 5 * (256 * 8 + 8);
    constexpr std::uint64_t dense_row = 16 * 8 + 1 + 8;
    const Parts expected{{"tiles", "dense", 3, 1280, dense + 106},
                         {"tiles", "dense_row", 1, 16, dense_row + 1},
                         {"csr", "deferred", 2, 3, tiles.deferred.bytes() + shared - 107}};
    EXPECT_EQ(make_operator<double>("tile-omp", tiles)->executed(), expected);
}

TEST(ExecutedOnCpu, TilesOfAFormatWithoutAVectorRoutineAreWalked) {
    const auto csr = of_all_kinds();
    for (int id = 0; id < formats::kFormatCount; ++id) {
        const auto name = formats::format_table()[static_cast<std::size_t>(id)].name;
        const auto tiles = convert(csr, *make_policy("only:" + std::string(name)));
        for (const auto& part : make_operator<double>("tile-omp", tiles)->executed()) {
            const bool is_walked = part.format == name && !formats::kVectorRoutines[static_cast<std::size_t>(id)];
            EXPECT_EQ(part.representation, is_walked ? "walked" : "tiles") << name << ", part " << part.format;
        }
    }
}

TEST(ExecutedOnCpu, IsTheSameForAnyNumberOfThreads) {
    for (const auto& [name, csr] : matrix_battery()) {
        const auto tiles = convert(csr, *make_policy("paper"));
        const auto a = make_operator<double>("tile-omp", tiles);
        const auto executed = [&] { return a->executed(); };
        EXPECT_EQ(test::with_threads(5, executed), test::with_threads(1, executed)) << name;
    }
}

TEST(OccupiedTileRows, AreThoseOfTheRangeWithNonzeros) {
    const auto a = matrix_of(100, 1, {{0, 0}, {15, 0}, {47, 0}, {48, 0}, {99, 0}});
    EXPECT_EQ(occupied_tile_rows(a.row_ptrs, 0, 100), 4);
    EXPECT_EQ(occupied_tile_rows(a.row_ptrs, 16, 48), 1);
    EXPECT_EQ(occupied_tile_rows(a.row_ptrs, 16, 47), 0);
    EXPECT_EQ(occupied_tile_rows(a.row_ptrs, 96, 100), 1);
    EXPECT_EQ(occupied_tile_rows(a.row_ptrs, 32, 32), 0);
}

/// Bytes of what `TileWorkBuffers` uploads.
std::uint64_t uploaded_bytes(const cuda::TileWork<double>& work) {
    const auto& dense = work.dense;
    const auto& form = work.slots;
    return work.dense_runs.runs.size() * 24 + dense.tiles.bytes() + dense.values.bytes() + form.items.size() * 32 +
           (form.slots.size() - cuda::kSpareSlots) * 16 + form.values.bytes() + form.entry_columns.bytes() +
           form.entry_values.bytes() + form.entry_ends.size() * 32;
}

/// Work for a GPU as `expect_executed` takes operators.
struct Laid {
    const CsrMatrix<double>& csr;
    Parts parts;
    std::uint64_t bytes;

    [[nodiscard]] static std::string name() { return "work"; }
    [[nodiscard]] index_t rows() const { return csr.rows; }
    [[nodiscard]] offset_t nnz() const { return csr.nnz(); }
    [[nodiscard]] Parts executed() const { return parts; }
    [[nodiscard]] std::uint64_t matrix_bytes() const { return bytes; }
};

Laid lay_out(const CsrMatrix<double>& csr, const TileMatrix<double>& tiles, const Paths& paths) {
    const auto work = cuda::make_tile_work(tiles, paths, kSmallGpu);
    ExecutedParts parts;
    cuda::add_executed(work, parts);
    return {csr, parts.finish(), uploaded_bytes(work)};
}

TEST(ExecutedOnGpu, EveryPathAccountsForEveryNonzeroAndByte) {
    for (const auto& [name, csr] : matrix_battery()) {
        for (const auto& selector : selectors()) {
            SCOPED_TRACE(name + ' ' + std::string(selector.name));
            const auto tiles = convert(csr, *make_policy(selector.name));
            const Paths by_tiles(static_cast<std::size_t>(div_up(csr.rows, kTileSize)), Path::tiles);
            for (const auto& paths : {paths_by_format(tiles), by_tiles}) {
                expect_executed(lay_out(csr, tiles, paths));
            }
        }
    }
}

struct Count {
    std::string name;
    offset_t tile_rows;
    offset_t nnz;
    friend bool operator==(const Count&, const Count&) = default;
};

std::vector<Count> counts(const Paths& paths) {
    const auto csr = of_all_kinds();
    const auto tiles = convert(csr, *make_policy("paper-deferred"));
    std::vector<Count> found;
    for (const auto& part : lay_out(csr, tiles, paths).parts) {
        found.push_back({part.representation + ' ' + part.format, part.tile_rows, part.nnz});
    }
    return found;
}

TEST(ExecutedOnGpu, IsByPathAndNotByWhatWasStored) {
    constexpr auto d = Path::dense, t = Path::tiles;
    EXPECT_EQ(
        counts({d, t, t, t, t}),
        (std::vector<Count>{
            {"tiles dense", 1, 512}, {"slots dense", 2, 768}, {"slots dense_row", 1, 16}, {"csr deferred", 2, 3}}));
    EXPECT_EQ(counts({t, t, t, t, t}),
              (std::vector<Count>{{"slots dense", 3, 1280}, {"slots dense_row", 1, 16}, {"csr deferred", 2, 3}}));
}

TEST(ExecutedParts, GiveSharedBytesToNonzerosAndLoseNone) {
    ExecutedParts parts;
    parts.add({{"tiles", "ell", 0, 0, 5}, {"tiles", "csr", 1, 3, 10}, {"tiles", "coo", 1, 7, 20}}, 9);
    parts.add({{"csr", "", 0, 0, 11}}, 0);
    EXPECT_EQ(parts.finish(), (Parts{{"tiles", "csr", 1, 3, 10 + 4 + 3}, {"tiles", "coo", 1, 7, 20 + 10 + 8}}));
    EXPECT_EQ(ExecutedParts().finish(), Parts{});
}

TEST(ExecutedParts, AreOneWhereRepresentationAndFormatAreTheSame) {
    ExecutedParts parts;
    parts.add({{"tiles", "csr", 1, 3, 10}, {"csr", "csr", 2, 5, 40}}, 0);
    parts.add({{"csr", "csr", 4, 6, 80}, {"csr", "deferred", 8, 7, 160}, {"tiles", "csr", 16, 8, 320}}, 0);
    EXPECT_EQ(parts.finish(),
              (Parts{{"tiles", "csr", 17, 11, 330}, {"csr", "csr", 6, 11, 120}, {"csr", "deferred", 8, 7, 160}}));
}

}  // namespace
}  // namespace tilespmv::testing
