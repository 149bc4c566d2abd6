#include <algorithm>
#include <memory>
#include <optional>

#include "bench/harness/cuda_axpy.hpp"
#include "bench/harness/cuda_device.hpp"
#include "bench/harness/cuda_stream_device.hpp"
#include "kernels/cuda/device_csr_copy.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/transpose.hpp"

namespace tilespmv::bench {
namespace {

// What the products of one builder share: x and y on the GPU, and what the tiles were before they went there.
template <Value V>
struct Shared {
    Shared(std::span<const V> host_x, std::size_t y_size, cudaStream_t stream) : x(host_x, stream), y(y_size, stream) {
        TILESPMV_CUDA(cudaStreamSynchronize(stream));
    }

    [[nodiscard]] cuda::DeviceBuffer<V>& chained(ChainVector which) {
        return which == ChainVector::first ? x : which == ChainVector::one ? one : other;
    }

    cuda::DeviceBuffer<V> x;
    cuda::DeviceBuffer<V> y;
    cuda::DeviceBuffer<V> one, other;  // of a chain, made by its first product
    cuda::DeviceBuffer<V> z;           // of the axpy, made by the first one
    std::optional<cuda::DeviceCsrCopy<V>> csr;
    StoredTiles stored;
};

template <Value V>
class CudaProduct final : public Product {
public:
    CudaProduct(std::unique_ptr<Operator<V>> op, std::size_t device_bytes, const ProductKind& kind,
                std::shared_ptr<Shared<V>> shared, Accumulator accumulator, double convert_seconds, cudaStream_t stream)
        : operator_(std::move(op)),
          device_bytes_(device_bytes),
          kind_(kind),
          shared_(std::move(shared)),
          accumulator_(accumulator),
          convert_seconds_(convert_seconds),
          stream_(stream) {}

    void run() override {
        const std::span<const V> x(shared_->x.data(), shared_->x.size());
        const std::span<V> y(shared_->y.data(), shared_->y.size());
        operator_->apply(1, kind_.block(x, Memory::device), 0, kind_.block(y, Memory::device), kind_.run(stream_));
    }

    void run_chained(double scale, ChainVector from, ChainVector to) override {
        for (auto* v : {&shared_->one, &shared_->other}) {
            if (v->size() < shared_->y.size()) *v = cuda::DeviceBuffer<V>(shared_->y.size(), stream_);
        }
        const auto& x = shared_->chained(from);
        operator_->apply(scale, x.span(), 0, shared_->chained(to).span(), stream_);
    }

    [[nodiscard]] std::vector<double> chained(ChainVector which) const override {
        const auto& v = shared_->chained(which);
        Buffer<V> values(v.size());
        v.download({values.data(), values.size()}, stream_);
        TILESPMV_CUDA(cudaStreamSynchronize(stream_));
        std::vector<double> wide(values.size());
        std::ranges::transform(values, wide.begin(), [](V value) { return static_cast<double>(value); });
        return wide;
    }

    void run_axpy() override {
        auto& z = shared_->z;
        if (z.size() < shared_->x.size()) {
            z = cuda::DeviceBuffer<V>(shared_->x.size(), stream_);
            TILESPMV_CUDA(cudaMemcpyAsync(z.data(), shared_->x.data(), z.bytes(), cudaMemcpyDeviceToDevice, stream_));
        }
        launch_axpy<V>(shared_->x.span(), z.span(), stream_);
    }

    // Bytes of ones are a NaN of every value type.
    void poison() override { TILESPMV_CUDA(cudaMemsetAsync(shared_->y.data(), 0xff, shared_->y.bytes(), stream_)); }

    [[nodiscard]] CheckResult check(const ExpectedProduct& expected) const override {
        Buffer<V> y(shared_->y.size());
        const std::span<V> span(y.data(), y.size());
        shared_->y.download(span, stream_);
        TILESPMV_CUDA(cudaStreamSynchronize(stream_));
        return check_product<V>(expected, kind_.block(span), accumulator_);
    }

    [[nodiscard]] std::string_view name() const override { return operator_->name(); }
    [[nodiscard]] std::uint64_t matrix_bytes() const override { return operator_->matrix_bytes(); }
    [[nodiscard]] std::uint64_t device_bytes() const override { return device_bytes_; }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return operator_->executed(); }
    [[nodiscard]] StoredTiles stored() const override { return shared_->stored; }
    [[nodiscard]] double convert_seconds() const override { return convert_seconds_; }

private:
    std::unique_ptr<Operator<V>> operator_;
    std::size_t device_bytes_;
    ProductKind kind_;
    std::shared_ptr<Shared<V>> shared_;
    Accumulator accumulator_;
    double convert_seconds_;
    cudaStream_t stream_;
};

template <Value V>
class CudaBuilder {
public:
    CudaBuilder(std::string specification, std::string selector, Accumulator accumulator, const CsrMatrix<V>& a,
                std::span<const V> x, const ProductKind& kind, cudaStream_t stream)
        : specification_(std::move(specification)),
          selector_(std::move(selector)),
          accumulator_(accumulator),
          a_(&a),
          x_(x),
          kind_(kind),
          stream_(stream) {}

    std::unique_ptr<Product> operator()() {
        const bool first = !shared_;
        if (first) {
            const auto y_rows = static_cast<std::size_t>(kind_.x_rows(a_->cols, a_->rows));
            shared_ = std::make_shared<Shared<V>>(x_, y_rows * static_cast<std::size_t>(kind_.columns), stream_);
            if (kind_.is_from_gpu) shared_->csr.emplace(*a_);
        }
        TileMatrix<V> tiles;
        double convert_seconds = 0;
        const bool is_tiled = find_operator<V>(Backend::cuda, specification_).made_from == Form::tiles;
        if (is_tiled) {
            tiles = convert_timed(*a_, selector_, convert_seconds);
            if (first) shared_->stored = describe_tiles(tiles);
        }
        const auto source = is_tiled       ? Source<V>(*a_, tiles)
                            : shared_->csr ? Source<V>(shared_->csr->view())
                                           : Source<V>(*a_);
        auto made = cuda::make_device_operator<V>(specification_, source, accumulator_, stream_);
        std::size_t bytes = made->device_bytes();
        std::unique_ptr<Operator<V>> op = std::move(made);
        if (kind_.is_transposed) {
            bytes -= op->facts().other_bytes;
            const auto chosen = choose_operator<V>(Backend::cuda, specification_, accumulator_);
            op = with_transpose(std::move(op), shared_->csr ? source : Source<V>(*a_), chosen.make);
            bytes += op->facts().other_bytes;
        }
        TILESPMV_CUDA(cudaStreamSynchronize(stream_));  // it is ready when its arrays are complete
        return std::make_unique<CudaProduct<V>>(std::move(op), bytes, kind_, shared_, accumulator_, convert_seconds,
                                                stream_);
    }

private:
    std::string specification_;
    std::string selector_;
    Accumulator accumulator_;
    const CsrMatrix<V>* a_;
    std::span<const V> x_;
    ProductKind kind_;
    cudaStream_t stream_;
    std::shared_ptr<Shared<V>> shared_;
};

}  // namespace

template <Value V>
ProductBuilder cuda_product_builder(Device& device, const std::string& specification, const std::string& selector,
                                    Accumulator accumulator, const CsrMatrix<V>& a, std::span<const V> x,
                                    const ProductKind& kind) {
    return CudaBuilder<V>(specification, selector, accumulator, a, x, kind, dynamic_cast<CudaDevice&>(device).stream());
}

#define TILESPMV_INSTANTIATE(V)                                                                                \
    template ProductBuilder cuda_product_builder(Device&, const std::string&, const std::string&, Accumulator, \
                                                 const CsrMatrix<V>&, std::span<const V>, const ProductKind&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
