#include "kernels/cuda/device_operator.hpp"

#include <fmt/format.h>

#include "kernels/cuda/cache_policy.hpp"
#include "kernels/cuda/combine.hpp"
#include "kernels/cuda/dependent_launch.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

int current_device() {
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    return device;
}

/// From a value of a column to the next.
template <class V>
std::int64_t row_step(const Block<V>& block) {
    return static_cast<std::int64_t>(block.layout == Layout::row_major ? block.ld : 1);
}

/// From the first value of a block to behind the last one.
template <class V>
std::size_t extent(const Block<V>& block) {
    const auto cols = static_cast<std::size_t>(block.cols);
    if (block.rows == 0 || cols == 0) return 0;
    return block.layout == Layout::row_major ? (block.rows - 1) * block.ld + cols : (cols - 1) * block.ld + block.rows;
}

}  // namespace

std::size_t WorkspaceLayout::add_bytes(std::size_t bytes, unsigned char initial) {
    const std::size_t offset = place(bytes);
    parts_.push_back({offset, bytes, initial});
    return offset;
}

std::size_t WorkspaceLayout::place(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    const std::size_t offset = bytes_;
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return offset;
}

void WorkspaceLayout::fill(std::byte* workspace, cudaStream_t stream) const {
    for (const Part& part : parts_) {
        if (part.bytes == 0) continue;
        TILESPMV_CUDA(cudaMemsetAsync(workspace + part.offset, part.initial, part.bytes, stream));
    }
}

template <class V>
DeviceOperator<V>::DeviceOperator(Facts facts) : Operator<V>(std::move(facts)), device_(current_device()) {}

template <class V>
DeviceOperator<V>::~DeviceOperator() = default;

template <class V>
void DeviceOperator<V>::keep_stream(std::unique_ptr<Stream> stream) {
    stream_ = std::move(stream);
}

template <class V>
void DeviceOperator<V>::make_own_workspace(const DeviceContext& on) {
    on_ = {on.stream, on.memory};
    const auto rows = static_cast<std::size_t>(this->rows());
    const std::size_t vectors = (rows + static_cast<std::size_t>(this->cols())) * sizeof(V);
    cache_policy_ = make_cache_policy(
        kept_share(this->matrix_bytes() + vectors, vectors, l2_bytes(), this_tuning(sizeof(V)).cache), on);
    sums_ = layout_.add_room<V>(rows);
    column_ = layout_.add_room<V>(static_cast<std::size_t>(this->cols()));
    own_ = std::make_unique<Workspace>(make_workspace(on));
}

template <class V>
std::byte* DeviceOperator<V>::workspace_of(const Run& run) const {
    if (run.workspace == nullptr) return own_->data();
    if (!this->facts().takes_workspace) {
        throw Error(fmt::format("{} works in its own workspace only; make an operator for each stream", this->name()));
    }
    if (run.workspace->made_by() != this) {
        throw Error(fmt::format("{}: the workspace is that of another operator", this->name()));
    }
    return run.workspace->data();
}

template <class V>
void DeviceOperator<V>::require_current() const {
    const int current = current_device();
    if (current == device_) return;
    throw Error(fmt::format("{} was made on GPU {}, but GPU {} is current; call cudaSetDevice({})", this->name(),
                            device_, current, device_));
}

template <class V>
void DeviceOperator<V>::to_csr(const CsrToWrite<V>& to, cudaStream_t stream) const {
    require_current();
    if (!write_csr(to, stream))
        throw Error(fmt::format("operator {} does not give its matrix back; keep its CSR form", this->name()));
}

template <class V>
void DeviceOperator<V>::multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta,
                                        const Block<V>& y, const Run& run) const {
    require_current();
    std::byte* const workspace = workspace_of(run);
    if (x.memory == Memory::device) return multiply_there(alpha, x.data, beta, y.data, run.stream, workspace);
    multiply_staged({x, y, alpha, beta, workspace, cache_policy_}, stream_of(run));
}

template <class V>
void DeviceOperator<V>::multiply_columns(const Scalar& alpha, const Block<const V>& x, const Scalar& beta,
                                         const Block<V>& y, const Run& run) const {
    require_current();
    const BlockProduct<V> product{x, y, alpha, beta, workspace_of(run), cache_policy_};
    if (x.memory == Memory::host) return multiply_staged(product, stream_of(run));
    multiply_there(product, run.stream);
}

template <class V>
void DeviceOperator<V>::multiply_there(const BlockProduct<V>& product, cudaStream_t stream) const {
    if (!product.alpha.is_known_zero()) return multiply_block(product, stream);
    for (int c = 0; c < product.y.cols; ++c) {
        launch_scale(product.y.columns(c, 1).data, this->rows(), product.beta, stream, row_step(product.y));
    }
}

template <class V>
void DeviceOperator<V>::multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const {
    const bool has_columns = product.x.has_columns() && product.y.has_columns();
    for (int c = 0; c < product.x.cols; ++c) {
        if (has_columns) {
            multiply_there(product.alpha, product.x.column(c).data, product.beta, product.y.column(c).data, stream,
                           product.workspace);
        } else {
            multiply_column_in_rows(product, c, stream);
        }
    }
}

template <class V>
void DeviceOperator<V>::multiply_column_in_rows(const BlockProduct<V>& product, int column, cudaStream_t stream) const {
    V* const x = column_.in(product.workspace);
    V* const y = sums_.in(product.workspace);
    V* const to = product.y.columns(column, 1).data;
    const Scalar& alpha = product.alpha;
    const Scalar& beta = product.beta;
    launch_gather<V>(product.x.columns(column, 1).data, row_step(product.x), x, this->cols(), stream);
    if (alpha.where() != nullptr || beta.where() != nullptr) {
        multiply({x, y, 1, 0, product.workspace, cache_policy_}, stream);
        return launch_combine<V>(alpha, y, beta, to, this->rows(), stream, row_step(product.y));
    }
    if (beta.value() != 0) launch_gather<V>(to, row_step(product.y), y, this->rows(), stream);
    multiply({x, y, alpha.value(), beta.value(), product.workspace, cache_policy_}, stream);
    launch_combine<V>(1, y, 0, to, this->rows(), stream, row_step(product.y));
}

template <class V>
void DeviceOperator<V>::multiply_there(const Scalar& alpha, const V* x, const Scalar& beta, V* y, cudaStream_t stream,
                                       std::byte* workspace) const {
    if (alpha.is_known_zero()) return launch_scale(y, this->rows(), beta, stream);
    if (alpha.where() == nullptr && beta.where() == nullptr) {
        return multiply({x, y, alpha.value(), beta.value(), workspace, cache_policy_}, stream);
    }
    V* const sums = sums_.in(workspace);
    multiply({x, sums, 1, 0, workspace, cache_policy_}, stream);
    launch_combine<V>(alpha, sums, beta, y, this->rows(), stream);
}

/// With all that lies between the values of a block, which has the same layout there. y goes there even if beta is 0:
/// what the caller poisoned it with shows an operator that reads it or leaves rows out.
template <class V>
void DeviceOperator<V>::multiply_staged(const BlockProduct<V>& product, cudaStream_t stream) const {
    const std::span<const V> x(product.x.data, extent(product.x));
    const std::span<V> y(product.y.data, extent(product.y));
    make_staged(x.size(), y.size());
    staged_->x.upload(x, stream);
    staged_->y.upload(y, stream);
    BlockProduct<V> there = product;
    there.x.data = staged_->x.data();
    there.y.data = staged_->y.data();
    there.x.memory = there.y.memory = Memory::device;
    if (there.x.cols == 1 && there.x.has_columns() && there.y.has_columns()) {
        multiply_there(there.alpha, there.x.data, there.beta, there.y.data, stream, there.workspace);
    } else {
        multiply_there(there, stream);
    }
    staged_->y.download(y, stream);
}

/// On the stream that outlives the operator, which that of a product need not do.
template <class V>
void DeviceOperator<V>::make_staged(std::size_t x, std::size_t y) const {
    if (staged_ && staged_->x.size() >= x && staged_->y.size() >= y) return;
    staged_ = std::make_unique<Staged>(Staged{DeviceBuffer<V>(x, on_), DeviceBuffer<V>(y, on_)});
    TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
}

template <class V>
bool DeviceOperator<V>::replace(const Block<const V>& values, const Run& run) {
    if (values.memory == Memory::host) {
        const cudaStream_t stream = stream_of(run);
        DeviceBuffer<V> there(values.rows, stream);
        there.upload({values.data, values.rows}, stream);
        replace_values(there.data(), stream);
        TILESPMV_CUDA(cudaStreamSynchronize(stream));
        return true;
    }
    replace_values(values.data, run.stream);
    launch_barrier(run.stream);  // products load values before they wait for the kernel before
    return true;
}

template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const Source<V>& source,
                                                        Accumulator accumulator, const DeviceContext& on) {
    const OperatorInfo<V>& info = find_operator<V>(Backend::cuda, specification);
    source.validate();
    source.read_on(on.stream);
    Options options("operator", specification);
    auto made = as_device_operator(
        info.make(source, options, {.backend = Backend::cuda, .accumulator = accumulator, .device = &on}));
    if (info.role != Role::chooser) made->set_specification(specification);
    made->set_bytes_to_host(source.bytes_to_host());
    made->make_own_workspace(on);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));  // other streams may use it
    return made;
}

template <class V>
std::unique_ptr<DeviceOperator<V>> as_device_operator(std::unique_ptr<Operator<V>> made) {
    auto* const device = dynamic_cast<DeviceOperator<V>*>(made.get());
    if (device == nullptr) throw Error("an operator for a GPU must derive from cuda::DeviceOperator");
    static_cast<void>(made.release());
    return std::unique_ptr<DeviceOperator<V>>(device);
}

#define TILESPMV_INSTANTIATE(V)                                                                                       \
    template class DeviceOperator<V>;                                                                                 \
    template std::unique_ptr<DeviceOperator<V>> as_device_operator(std::unique_ptr<Operator<V>>);                     \
    template std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view, const Source<V>&, Accumulator, \
                                                                     const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
