// Products of the tiles of one tile row, vectorised per format. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP
#undef TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP
#endif

#include "formats/list.hpp"
#include "kernels/cpu/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// The same number for all rows of a column of values.
struct Broadcast {
    explicit Broadcast(double value) : x(hn::Set(D(), value)) {}
    HWY_INLINE Vec operator()(int /*part*/) const { return x; }
    Vec x;
};

/// Numbers of x by the packed columns of 16 slots.
template <Value V>
struct Lookup {
    HWY_INLINE Vec operator()(int part) const { return x.lookup(word, part); }
    const XTile<V>& x;
    std::uint64_t word;
};

/// The sums of a tile row of 16 rows, in the three forms that formats add to: a vector lane per row for column-major
/// formats, kLanes partial sums per row for row-major ones, and plain numbers for single nonzeros. Tiles may be read
/// up to `kSlack` values and index bytes past their end.
template <Value V>
class TileRowSums {
public:
    static constexpr int kSlack = 8;

    explicit TileRowSums(double* sums) : sums_(sums) {
        for (auto& part : by_row_) part = hn::Zero(D());
    }

    /// x: the numbers under the tile, 16 of them readable.
    HWY_INLINE void add(const TileView<V>& t, const V* x) {
        using namespace formats;
        switch (t.entry.format()) {
            case id_of<Dense>:
                return add_dense(t, x);
            case id_of<Coo>:
                return add_coo(t.values, t.index, t.entry.nnz(), x);
            case id_of<Csr>:
                return add_csr(t, x);
            case id_of<Ell>:
                return add_ell(t.values, t.index, t.entry.parameter(), t.entry.nnz() < t.entry.values(), x);
            case id_of<Hyb>:
                return add_hyb(t, x);
            case id_of<DenseRow>:
                return add_dense_row(t, x);
            case id_of<DenseCol>:
                return add_dense_col(t, x);
            default:
                return walk(t, x, sums_);
        }
    }

    /// Any format, any size; reads nothing past the tile or past x.
    static HWY_NOINLINE void walk(const TileView<V>& t, const V* x, double* sums) {
        formats::visit_format(t.entry.format(), [&]<class F>() {
            F::walk(t, [&](int r, int c, int slot) { sums[r] += to_double(t.values[slot]) * to_double(x[c]); });
        });
    }

    HWY_INLINE void finish() {
        for (int p = 0; p < kParts; ++p) {
            double* sums = sums_ + p * kLanes;
            hn::StoreU(hn::LoadU(D(), sums) + by_row_[p], D(), sums);
        }
        if (has_partial_) add_row_totals(partial_, sums_);
    }

private:
    static constexpr int kParts = kTileSize / kLanes;
    static double to_double(V v) { return static_cast<double>(v); }

    template <class Xs>
    HWY_INLINE void add_column(const V* values, Xs x) {
        prefetch_stream(values);
        prefetch_stream(values + kTileSize / 2);
        for (int p = 0; p < kParts; ++p) by_row_[p] = hn::MulAdd(load(values + p * kLanes), x(p), by_row_[p]);
    }

    template <class Xs>
    HWY_INLINE void add_column(const V* values, unsigned mask, Xs x) {
        prefetch_stream(values);
        prefetch_stream(values + kTileSize / 2);
        for (int p = 0; p < kParts; ++p) {
            const auto x_p = hn::IfThenElseZero(mask_of(mask >> (p * kLanes)), x(p));
            by_row_[p] = hn::MulAdd(load(values + p * kLanes), x_p, by_row_[p]);
        }
    }

    HWY_INLINE void add_dense(const TileView<V>& t, const V* x) {
        if (t.entry.index_bytes() == 0) {
            for (int c = 0; c < t.cols; ++c) add_column(t.values + c * kTileSize, Broadcast(x[c]));
        } else {
            for (int c = 0; c < t.cols; ++c) {
                add_column(t.values + c * kTileSize, formats::get_mask(t.index, c), Broadcast(x[c]));
            }
        }
    }

    HWY_INLINE void add_dense_col(const TileView<V>& t, const V* x) {
        const int full = t.entry.nnz() / kTileSize;
        for (int k = 0; k < full; ++k) {
            add_column(t.values + k * kTileSize, Broadcast(x[formats::get_nibble(t.index, k)]));
        }
    }

    HWY_INLINE void add_ell(const V* values, const std::uint8_t* index, int width, bool holes, const V* x) {
        constexpr int step = kTileSize / 2;  // bytes of 16 columns
        const XTile<V> x_tile(x);
        if (!holes) {
            for (int k = 0; k < width; ++k) {
                add_column(values + k * kTileSize, Lookup<V>{x_tile, load_word(index + k * step)});
            }
            return;
        }
        const std::uint8_t* masks = index + width * step;
        for (int k = 0; k < width; ++k) {
            add_column(values + k * kTileSize, formats::get_mask(masks, k),
                       Lookup<V>{x_tile, load_word(index + k * step)});
        }
    }

    HWY_INLINE void add_coo(const V* values, const std::uint8_t* index, int nnz, const V* x) {
        for (int k = 0; k < nnz; ++k) sums_[index[k] >> 4] += to_double(values[k]) * to_double(x[index[k] & 15]);
    }

    HWY_INLINE void add_hyb(const TileView<V>& t, const V* x) {
        const int width = t.entry.parameter();
        const int coo = formats::Hyb::coo_nnz(kTileSize, t.entry);
        add_ell(t.values, t.index, width, formats::Hyb::has_holes(kTileSize, t.entry), x);
        add_coo(t.values + kTileSize * width, t.index + t.entry.index_bytes() - coo, coo, x);
    }

    HWY_INLINE void add_csr(const TileView<V>& t, const V* x) {
        start_partial();
        const XTile<V> x_tile(x);
        const std::uint8_t* cols = t.index + kTileSize;
        int k = 0;
        for (int r = 0; r < kTileSize; ++r) {
            const int end = r + 1 < kTileSize ? t.index[r + 1] : t.entry.nnz();
            auto sum = hn::Load(D(), partial(r));
            while (true) {
                const auto mask = hn::FirstN(D(), static_cast<std::size_t>(end - k));
                const auto x_k = x_tile.lookup(load_word(cols + k / 2) >> (k % 2 * 4));
                const auto value = hn::IfThenElseZero(mask, load(t.values + k));
                sum = hn::MulAdd(value, hn::IfThenElseZero(mask, x_k), sum);
                if (end - k <= kLanes) break;
                k += kLanes;
            }
            k = end;
            hn::Store(sum, D(), partial(r));
        }
    }

    HWY_INLINE void add_dense_row(const TileView<V>& t, const V* x) {
        start_partial();
        const int full = t.entry.nnz() / t.cols;
        const V* values = t.values;
        for (int k = 0; k < full; ++k, values += t.cols) {
            prefetch_stream(values);
            prefetch_stream(values + kTileSize / 2);
            double* row = partial(formats::get_nibble(t.index, k));
            auto sum = hn::Load(D(), row);
            for (int c = 0; c < t.cols; c += kLanes) {
                const auto mask = hn::FirstN(D(), static_cast<std::size_t>(t.cols - c));
                sum = hn::MulAdd(hn::IfThenElseZero(mask, load(values + c)), load(x + c), sum);
            }
            hn::Store(sum, D(), row);
        }
    }

    HWY_INLINE double* partial(int r) { return partial_ + r * kLanes; }

    HWY_INLINE void start_partial() {
        if (has_partial_) return;
        for (int r = 0; r < kTileSize; ++r) hn::Store(hn::Zero(D()), D(), partial(r));
        has_partial_ = true;
    }

    static HWY_INLINE void add_row_totals(const double* partial, double* sums) {
        for (int r = 0; r < kTileSize; ++r) {
            sums[r] += hn::GetLane(hn::SumOfLanes(D(), hn::Load(D(), partial + r * kLanes)));
        }
    }

    double* sums_;
    Vec by_row_[kParts];
    bool has_partial_ = false;
    HWY_ALIGN double partial_[kTileSize * kLanes];
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
