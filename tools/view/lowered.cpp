#include "tools/view/lowered.hpp"

#include "kernels/operators/strip/strip.hpp"
#include "kernels/operators/tile/lower.hpp"

namespace tilespmv::tools {
namespace {

using LoweredTile = TileMatrix<float>;

/// A matrix of one tile.
LoweredTile one_tile(const TilePattern& p, int format, int value_bytes) {
    LoweredTile m;
    m.rows = p.rows;
    m.cols = p.cols;
    m.nnz = p.nnz;
    formats::visit_format(format, [&]<class F>() {
        const formats::TileSize size = F::size(p, value_bytes).value();
        const Buffer<float> in(static_cast<std::size_t>(p.nnz), 0.0F);
        m.values = Buffer<float>(static_cast<std::size_t>(size.values));
        m.indices = Buffer<std::uint8_t>(static_cast<std::size_t>(size.index_bytes));
        F::pack(p, size, in.data(), m.values.data(), m.indices.data());
        m.tile_rows = {0};
        m.tile_ptrs = {0, 1};
        m.value_ptrs = {0, size.values};
        m.index_ptrs = {0, size.index_bytes};
        m.tiles = {TileEntry(0, format, p.nnz, size.values, size.index_bytes, size.parameter)};
    });
    return m;
}

struct TileRowFill {
    StripFill fill = StripFill::none;
    std::uint32_t slots = 0;
    friend bool operator==(const TileRowFill&, const TileRowFill&) = default;
};

}  // namespace

template <Value V>
std::vector<StripRows> strip_rows(const CsrMatrix<V>& a) {
    const auto limits = strip_limits(a.rows, a.nnz(), sizeof(V), measured_gpu(sizeof(V)));
    const Strips strips = make_strips(a, limits);
    std::vector<TileRowFill> of(static_cast<std::size_t>(div_up(a.rows, kTileSize)));
    for (const StripRun& run : strips.runs) {
        for (std::uint32_t i = 0; i < run.strips; ++i)
            of[strips.tile_rows[run.first_strip + i]] = {StripFill::windows, run.slots};
    }
    std::vector<StripRows> rows;
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (i == 0 || of[i] != of[i - 1]) rows.push_back({0, of[i].fill, of[i].slots});
        ++rows.back().tile_rows;
    }
    return rows;
}

TileSlots slots_of(const TileShape& shape, int value_bytes) {
    if (shape.format == TileShape::kDeferred) return {};
    TilePattern p = shape.pattern();
    if (shape.part > 0) p = p.first_of_rows(shape.part);
    const LoweredTile m = one_tile(p, shape.format, value_bytes);
    const Buffer<float> none;
    cuda::Lowering<float, float> lowering(m, m.values, none);
    lowering.lower(0, 0);
    const bool are_rows = !lowering.row_slots.empty();
    return {static_cast<int>(are_rows ? lowering.row_slots.size() : lowering.slots.size()), are_rows};
}

#define TILESPMV_INSTANTIATE(V) template std::vector<StripRows> strip_rows(const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
