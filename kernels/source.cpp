#include "kernels/source.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "formats/convert.hpp"
#include "kernels/cuda/device_rows.hpp"
#include "kernels/cuda/download.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {

template <Value V>
struct Source<V>::State {
    // Given, null if it was not.
    const CsrMatrix<V>* csr = nullptr;
    const TileMatrix<V>* tiles = nullptr;
    std::optional<cuda::DeviceCsrView<V>> device_csr;
    std::shared_ptr<State> like;  // the same matrix, which makes the CSR form
    std::string selector{kDefaultSelector};

    // Owned: given by value, or made.
    std::optional<CsrMatrix<V>> own_csr;
    std::optional<TileMatrix<V>> own_tiles;
    Buffer<offset_t> row_ptrs;            // of a matrix on a GPU, ...
    std::optional<CsrMatrix<V>> pattern;  // ... with its columns
    std::optional<RowStatistics> of_rows;
    std::once_flag csr_once, tiles_once, row_ptrs_once, pattern_once, of_rows_once;
    std::shared_ptr<std::atomic<std::size_t>> bytes_to_host = std::make_shared<std::atomic<std::size_t>>();

    CUstream_st* stream = nullptr;
    std::string preferred;

    /// Of arrays that stay as long as this.
    [[nodiscard]] static CsrMatrix<V> view_of(const CsrMatrix<V>& a, Buffer<V> values) {
        return {a.rows, a.cols,
                Buffer<offset_t>::view(const_cast<offset_t*>(a.row_ptrs.data()), a.row_ptrs.size(), nullptr),
                Buffer<index_t>::view(const_cast<index_t*>(a.col_idxs.data()), a.col_idxs.size(), nullptr),
                std::move(values)};
    }
};

template <Value V>
Source<V>::Source(const CsrMatrix<V>& csr) : state_(std::make_shared<State>()) {
    add(csr);
}
template <Value V>
Source<V>::Source(const TileMatrix<V>& tiles) : state_(std::make_shared<State>()) {
    add(tiles);
}
template <Value V>
Source<V>::Source(const cuda::DeviceCsrView<V>& csr) : state_(std::make_shared<State>()) {
    add(csr);
}
template <Value V>
Source<V>::Source(CsrMatrix<V>&& csr) : state_(std::make_shared<State>()) {
    state_->csr = &state_->own_csr.emplace(std::move(csr));
}
template <Value V>
Source<V>::Source(TileMatrix<V>&& tiles) : state_(std::make_shared<State>()) {
    state_->tiles = &state_->own_tiles.emplace(std::move(tiles));
}

template <Value V>
void Source<V>::add(const CsrMatrix<V>& csr) {
    state_->csr = &csr;
}
template <Value V>
void Source<V>::add(const TileMatrix<V>& tiles) {
    state_->tiles = &tiles;
}
template <Value V>
void Source<V>::add(const cuda::DeviceCsrView<V>& csr) {
    state_->device_csr = csr;
}

namespace {

template <Value V>
offset_t nnz_of(const CsrMatrix<V>& a) {
    return a.nnz();
}
template <class M>
offset_t nnz_of(const M& a) {
    return a.nnz;
}

}  // namespace

/// f of one of the forms.
template <Value V>
template <class F>
auto Source<V>::of_given(F&& f) const {
    const State& s = *state_;
    if (s.csr != nullptr) return f(*s.csr);
    if (s.tiles != nullptr) return f(*s.tiles);
    return f(*s.device_csr);
}

template <Value V>
index_t Source<V>::rows() const {
    return of_given([](const auto& a) { return a.rows; });
}
template <Value V>
index_t Source<V>::cols() const {
    return of_given([](const auto& a) { return a.cols; });
}
template <Value V>
offset_t Source<V>::nnz() const {
    return of_given([](const auto& a) { return nnz_of(a); });
}

template <Value V>
const CsrMatrix<V>& Source<V>::csr() const {
    State& s = *state_;
    if (s.csr != nullptr) return *s.csr;
    if (s.like) return Source(s.like).csr();
    std::call_once(s.csr_once, [&] {
        if (s.tiles != nullptr) {
            s.own_csr = unpack(*s.tiles);
        } else {
            s.own_csr = State::view_of(pattern(), cuda::download(s.device_csr->values, nnz(), s.stream));
            add_bytes_to_host(s.own_csr->values.bytes());
        }
    });
    return *s.own_csr;
}

template <Value V>
const CsrMatrix<V>& Source<V>::pattern() const {
    State& s = *state_;
    if (is_on_host()) return csr();
    if (s.like) return Source(s.like).pattern();
    std::call_once(s.pattern_once, [&] {
        const Buffer<offset_t>& ptrs = row_ptrs();
        s.pattern = {rows(), cols(), Buffer<offset_t>::view(const_cast<offset_t*>(ptrs.data()), ptrs.size(), nullptr),
                     cuda::download(s.device_csr->col_idxs, nnz(), s.stream),
                     Buffer<V>::view(nullptr, static_cast<std::size_t>(nnz()), nullptr)};
        add_bytes_to_host(s.pattern->col_idxs.bytes());
    });
    return *s.pattern;
}

template <Value V>
const Buffer<offset_t>& Source<V>::row_ptrs() const {
    State& s = *state_;
    if (is_on_host()) return csr().row_ptrs;
    if (s.like) return Source(s.like).row_ptrs();
    std::call_once(s.row_ptrs_once, [&] {
        s.row_ptrs = cuda::download_row_ptrs(*s.device_csr, s.stream);
        add_bytes_to_host(s.row_ptrs.size() * std::visit([](auto* p) { return sizeof *p; }, s.device_csr->row_ptrs));
    });
    return s.row_ptrs;
}

template <Value V>
const RowStatistics& Source<V>::row_statistics() const {
    State& s = *state_;
    if (s.like) return Source(s.like).row_statistics();
    std::call_once(s.of_rows_once, [&] {
        if (is_on_host()) {
            const auto& ptrs = row_ptrs();
            s.of_rows = tilespmv::row_statistics({ptrs.data(), ptrs.size()});
        } else {
            s.of_rows = cuda::row_statistics_there(*s.device_csr, s.stream);
            add_bytes_to_host(sizeof(RowStatistics));
        }
    });
    return *s.of_rows;
}

template <Value V>
const TileMatrix<V>& Source<V>::tiles() const {
    State& s = *state_;
    if (s.tiles != nullptr) return *s.tiles;
    std::call_once(s.tiles_once, [&] { s.own_tiles = convert(csr(), *make_policy(s.selector)); });
    return *s.own_tiles;
}

template <Value V>
const CsrMatrix<V>* Source<V>::find_csr() const {
    return state_->csr;
}
template <Value V>
const TileMatrix<V>* Source<V>::find_tiles() const {
    return state_->tiles;
}
template <Value V>
const cuda::DeviceCsrView<V>* Source<V>::find_device_csr() const {
    return state_->device_csr ? &*state_->device_csr : nullptr;
}

template <Value V>
Source<V> Source<V>::alike() const {
    auto other = std::make_shared<State>();
    other->csr = state_->csr != nullptr || state_->tiles == nullptr ? state_->csr : &csr();
    other->device_csr = state_->device_csr;
    other->like = state_;
    other->selector = state_->selector;
    other->bytes_to_host = state_->bytes_to_host;
    other->stream = state_->stream;
    return Source(std::move(other));
}

template <Value V>
Source<V> Source<V>::with_selector(std::string_view selector) const {
    const Source other = alike();
    other.state_->selector = selector;
    return other;
}

template <Value V>
Source<V> Source<V>::with_device_arrays(cuda::DeviceArrays arrays) const {
    const Source other = alike();
    if (other.state_->device_csr) other.state_->device_csr->arrays = arrays;
    return other;
}

template <Value V>
void Source<V>::validate() const {
    const auto check = [&](const auto* form) {
        if (form == nullptr) return;
        validate_sizes(*form);
        if (form->rows == rows() && form->cols == cols() && nnz_of(*form) == nnz()) return;
        throw Error("two forms of a matrix are of different ones; their rows, columns or nonzeros differ");
    };
    check(find_csr());
    check(find_tiles());
}

template <Value V>
void Source<V>::read_on(CUstream_st* stream) const {
    state_->stream = stream;
}
template <Value V>
std::size_t Source<V>::bytes_to_host() const {
    return *state_->bytes_to_host;
}
template <Value V>
void Source<V>::add_bytes_to_host(std::size_t bytes) const {
    *state_->bytes_to_host += bytes;
}

template <Value V>
void Source<V>::prefer(std::string specification) const {
    state_->preferred = std::move(specification);
}
template <Value V>
const std::string& Source<V>::preferred() const {
    return state_->preferred;
}

#define TILESPMV_INSTANTIATE(V) template class Source<V>;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
