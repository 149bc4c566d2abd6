#include "kernels/cpu/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "selector/policy.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

using cpu::Chunk;
using cpu::CsrRows;
using cpu::Schedule;

constexpr offset_t kSmallestLimit = 16 << 10;                            // bytes of a chunk of a small matrix
constexpr offset_t kNonzeroBytes = sizeof(double) + sizeof(index_t);     // of CSR rows
constexpr offset_t kRowsBytes = kTileSize * offset_t{sizeof(offset_t)};  // of a tile row without nonzeros

/// Rows of these lengths, columns from 0 on.
CsrMatrix<double> rows_of_lengths(const std::vector<index_t>& lengths) {
    std::set<std::pair<index_t, index_t>> positions;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        for (index_t c = 0; c < lengths[r]; ++c) positions.insert({static_cast<index_t>(r), c});
    }
    return matrix_of(static_cast<index_t>(lengths.size()), 30'000, positions);
}

Schedule schedule_of(const CsrMatrix<double>& a) {
    return cpu::make_schedule<double>(a.rows, nullptr, cpu::rows_of(a));
}

/// Bytes of each tile row.
std::vector<offset_t> bytes_of_tile_rows(const TileMatrix<double>& a, const CsrRows<double>& csr, index_t rows) {
    std::vector<offset_t> bytes(static_cast<std::size_t>(div_up(rows, kTileSize)), 0);
    for (std::size_t k = 0; k < a.tile_rows.size(); ++k) {
        bytes[static_cast<std::size_t>(a.tile_rows[k])] += (a.tile_ptrs[k + 1] - a.tile_ptrs[k]) * 8 +
                                                           (a.value_ptrs[k + 1] - a.value_ptrs[k]) * 8 +
                                                           a.index_ptrs[k + 1] - a.index_ptrs[k];
    }
    for (offset_t k = 0; k < csr.size(); ++k) {
        bytes[static_cast<std::size_t>(csr.row(k) / kTileSize)] +=
            (csr.begin(k + 1) - csr.begin(k)) * kNonzeroBytes + 8;
    }
    return bytes;
}

/// Chunks take as many tile rows as fit; heavy ones are those of more than two chunks.
void expect_chunks(const Schedule& s, const std::vector<offset_t>& bytes, index_t rows, offset_t limit) {
    std::vector<std::pair<index_t, index_t>> chunks;  // row, rows
    std::vector<std::pair<index_t, index_t>> heavy;
    offset_t filled = 0;
    bool is_open = false;
    for (std::size_t t = 0; t < bytes.size(); ++t) {
        const auto row = static_cast<index_t>(t) * kTileSize;
        const std::pair tile_row{row, std::min<index_t>(kTileSize, rows - row)};
        if (bytes[t] > 2 * limit) {
            heavy.push_back(tile_row);
            is_open = false;
        } else if (is_open && filled + bytes[t] <= limit && chunks.back().second + tile_row.second <= 2048) {
            chunks.back().second += tile_row.second;
            filled += bytes[t];
        } else {
            chunks.push_back(tile_row);
            filled = bytes[t];
            is_open = true;
        }
    }
    ASSERT_EQ(s.chunks.size(), chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        EXPECT_EQ(std::pair(s.chunks[i].row, s.chunks[i].rows), chunks[i]) << "chunk " << i;
    }
    ASSERT_EQ(s.heavy.size(), heavy.size());
    for (std::size_t i = 0; i < heavy.size(); ++i) {
        EXPECT_EQ(std::pair(s.heavy[i].chunk.row, s.heavy[i].chunk.rows), heavy[i]) << "heavy chunk " << i;
    }
}

/// A piece ends with the tile that fills it, or where its tile row does; one of nonzeros has as many as fit.
void expect_full_pieces(const Schedule& s, const TileMatrix<double>& a, const CsrRows<double>& csr, offset_t limit) {
    for (const auto& piece : s.pieces) {
        const Chunk& chunk = s.heavy[piece.heavy].chunk;
        if (piece.tiles.begin == piece.tiles.end) {
            const offset_t length = piece.nonzeros.end - piece.nonzeros.begin;
            const bool is_last = piece.nonzeros.end == csr.begin(chunk.csr_rows.end);
            EXPECT_TRUE(is_last ? length <= limit / kNonzeroBytes : length == limit / kNonzeroBytes);
            continue;
        }
        const TileEntry last = a.tiles[piece.tiles.end - 1];
        const offset_t bytes = (piece.values_end - piece.values) * 8 + piece.index_end - piece.index_bytes +
                               (piece.tiles.end - piece.tiles.begin) * 8;
        EXPECT_LT(bytes - last.values() * 8 - last.index_bytes() - 8, limit);
        if (piece.tiles.end != a.tile_ptrs[chunk.tile_rows.end]) {
            EXPECT_GE(bytes, limit);
        }
    }
}

void expect_cut_by_bytes(const Schedule& s, const TileMatrix<double>& a, const CsrRows<double>& csr, index_t rows) {
    const auto bytes = bytes_of_tile_rows(a, csr, rows);
    EXPECT_EQ(s.bytes, std::accumulate(bytes.begin(), bytes.end(), offset_t{0}));
    const auto limit = std::clamp<offset_t>(s.bytes / 256, kSmallestLimit, 16 * kSmallestLimit);
    expect_chunks(s, bytes, rows, limit);
    expect_full_pieces(s, a, csr, limit);
}

// That chunks and pieces cover every row, tile and nonzero once is seen in the products of all operators.
TEST(CpuSchedule, IsCutByBytes) {
    for (const auto* selector : {"paper", "bytes", "paper-deferred", "only:dense"}) {
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(std::string(selector) + ' ' + name);
            const auto a = convert(csr, *make_policy(selector));
            const auto deferred = cpu::rows_of(a.deferred);
            expect_cut_by_bytes(cpu::make_schedule(a.rows, &a, deferred), a, deferred, a.rows);
            expect_cut_by_bytes(schedule_of(csr), {}, cpu::rows_of(csr), a.rows);
        }
    }
}

TEST(CpuSchedule, ChunksOfLargerMatricesAreA256thOfThem) {
    std::vector<index_t> lengths(12'000, 30);
    lengths[5000] = 29'000;
    const auto a = rows_of_lengths(lengths);
    const auto s = schedule_of(a);
    ASSERT_GT(s.bytes / 256, kSmallestLimit);
    expect_cut_by_bytes(s, {}, cpu::rows_of(a), a.rows);
}

TEST(CpuSchedule, AChunkHasAtMost2048Rows) {
    const auto s = cpu::make_schedule<double>(5000, nullptr, {});
    ASSERT_EQ(s.chunks.size(), 3u);
    EXPECT_EQ(s.chunks[0].rows, Schedule::kMaxRows);
    EXPECT_EQ(s.chunks[1].rows, Schedule::kMaxRows);
    EXPECT_EQ(s.chunks[2].rows, 5000 - 2 * Schedule::kMaxRows);
}

// Of small matrices, whose chunks take 16 KiB: tile rows that fill one to the byte, and with one nonzero more.
TEST(CpuSchedule, AChunkHasAtMostItsBytes) {
    constexpr auto half = static_cast<index_t>((kSmallestLimit / 2 - kRowsBytes) / kNonzeroBytes);
    static_assert((kSmallestLimit / 2 - kRowsBytes) % kNonzeroBytes == 0);
    std::vector<index_t> lengths(48);
    lengths[0] = lengths[16] = half;
    EXPECT_EQ(schedule_of(rows_of_lengths(lengths)).chunks.at(0).rows, 32);
    lengths[17] = 1;
    EXPECT_EQ(schedule_of(rows_of_lengths(lengths)).chunks.at(0).rows, 16);
}

TEST(CpuSchedule, ATileRowOfMoreThanTwoChunksIsCut) {
    constexpr offset_t fits = (2 * kSmallestLimit - kRowsBytes) / kNonzeroBytes;
    static_assert((2 * kSmallestLimit - kRowsBytes) % kNonzeroBytes == 0);
    constexpr offset_t step = kSmallestLimit / kNonzeroBytes;
    std::vector<index_t> lengths(40);
    lengths[20] = static_cast<index_t>(fits);
    EXPECT_TRUE(schedule_of(rows_of_lengths(lengths)).heavy.empty());
    lengths[31] = 1;
    const auto s = schedule_of(rows_of_lengths(lengths));
    ASSERT_EQ(s.heavy.size(), 1u);
    EXPECT_EQ(s.heavy[0].chunk.row, 16);
    ASSERT_EQ(s.pieces.size(), 2u);
    EXPECT_EQ(s.pieces[0].nonzeros.end, step);
    EXPECT_EQ(s.pieces[1].nonzeros.end, fits + 1);
    EXPECT_EQ(s.bytes, (fits + 1) * kNonzeroBytes + 40 * offset_t{sizeof(offset_t)});
}

// 56 nonzeros in coo take 512 bytes, level 1 included: 32 tiles fill a piece to the byte.
TEST(CpuSchedule, APieceEndsWithTheTileThatFillsIt) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t tile = 0; tile < 80; ++tile) {
        for (index_t k = 0; k < 56; ++k) positions.insert({k / 4, tile * kTileSize + k % 4});
    }
    const auto a = convert(matrix_of(kTileSize, 80 * kTileSize, positions), *make_policy("only:coo"));
    const auto s = cpu::make_schedule(a.rows, &a, {});
    std::vector<offset_t> ends;
    for (const auto& piece : s.pieces) ends.push_back(piece.tiles.end);
    EXPECT_EQ(ends, (std::vector<offset_t>{32, 64, 80}));
}

TEST(CpuSchedule, HasTheRowsOfItsRangesAlone) {
    const auto a = rows_of_lengths(std::vector<index_t>(100, 3));
    const auto s = cpu::make_schedule<double>(std::vector<RowRange>{{16, 48}, {96, 100}}, nullptr, cpu::rows_of(a));
    ASSERT_EQ(s.chunks.size(), 2u);
    const auto expect_chunk = [&](const Chunk& c, index_t row, index_t rows) {
        EXPECT_EQ(c.row, row);
        EXPECT_EQ(c.rows, rows);
        EXPECT_EQ(c.csr_rows.begin, row);
        EXPECT_EQ(c.csr_rows.end, row + rows);
    };
    expect_chunk(s.chunks[0], 16, 32);
    expect_chunk(s.chunks[1], 96, 4);
    EXPECT_TRUE(s.heavy.empty());
    EXPECT_EQ(s.bytes, 36 * (3 * 12 + 8)) << "other rows do not count";
    const auto beside = cpu::make_schedule<double>(std::vector<RowRange>{{16, 48}}, nullptr, cpu::rows_of(a), 1000);
    EXPECT_EQ(beside.bytes, 32 * (3 * 12 + 8) + 1000);
    EXPECT_TRUE(cpu::make_schedule<double>(std::vector<RowRange>{}, nullptr, cpu::rows_of(a)).chunks.empty());
}

}  // namespace
}  // namespace tilespmv::testing
