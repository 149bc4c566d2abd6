#include "kernels/solver/cuda/device_space.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cuda/this_gpu.hpp"

namespace tilespmv::solver {

namespace {

constexpr std::size_t kMostGraphs = 8;

/// From a vector to the next: at multiples of 256 bytes, with the slack of arrays behind each.
template <class T>
std::size_t vector_stride(std::size_t size) {
    return (size * sizeof(T) + cuda::kSlackBytes + 255) / 256 * 256 / sizeof(T);
}

template <class T>
bool are_same(const Iterates<T>& a, const Iterates<T>& b) {
    return a.x.data == b.x.data && a.r.data == b.r.data && a.w.data == b.w.data && a.s.data == b.s.data &&
           a.p.data == b.p.data && a.q.data == b.q.data;
}

}  // namespace

template <class T>
DeviceSpace<T>::DeviceSpace(SystemOperator<T> a, SystemPreconditioner<T> m, const cuda::DeviceContext& on)
    : SystemSpace<T>(std::move(a), std::move(m), Memory::device, on.stream),
      on_(on),
      kernels_(this->size(), vector_shapes(this->size(), sizeof(T), cuda::this_gpu(sizeof(T)).multiprocessors), on),
      kept_(1, on),
      pinned_(sizeof(Kept)) {
    TILESPMV_CUDA(cudaMemsetAsync(kept_.data(), 0, kept_.bytes(), stream()));  // scalars before the first iteration
    this->make_vectors_between();
    if (const Buffer<T>* const values = this->inverse_diagonal()) {
        diagonal_ = cuda::DeviceBuffer<T>(values->size(), on);
        DeviceSpace::set_diagonal(*values);
    }
}

template <class T>
DeviceSpace<T>::~DeviceSpace() {
    static_cast<void>(cudaStreamSynchronize(stream()));
}

template <class T>
std::string DeviceSpace<T>::how() const {
    if (persistent_) return "GPU, blocks of iterations in one kernel: " + persistent_->plan().describe();
    if (last_count_ == 0) return "GPU, graphs of iterations";
    return "GPU, graphs of " + std::to_string(last_count_) + " iterations";
}

template <class T>
void DeviceSpace<T>::update_values(const SystemMatrix<T>& a) {
    TILESPMV_CUDA(cudaStreamSynchronize(stream()));
    if (!this->follow_matrix(a)) forget_graphs();
    if (persistent_) persistent_->update_values(a.values());
    if (!this->follow_preconditioner()) forget_graphs();
}

template <class T>
void DeviceSpace<T>::set_diagonal(const Buffer<T>& values) {
    diagonal_.upload({values.data(), values.size()}, stream());
    TILESPMV_CUDA(cudaStreamSynchronize(stream()));
}

template <class T>
void DeviceSpace<T>::reserve_vectors(std::size_t count) {
    const auto& made = vectors_.emplace_back(count * vector_stride<T>(this->size()), on_);
    TILESPMV_CUDA(cudaMemsetAsync(made.data(), 0, made.bytes(), stream()));
    reserved_ = count;
}

template <class T>
Vector<T> DeviceSpace<T>::make_vector() {
    if (reserved_ == 0) DeviceSpace::reserve_vectors(1);
    const auto& last = vectors_.back();
    return {last.data() + last.size() - vector_stride<T>(this->size()) * reserved_--, this->size()};
}

template <class T>
void DeviceSpace<T>::upload(std::span<const T> from, Vector<T> to) {
    TILESPMV_CUDA(cudaMemcpyAsync(to.data, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream()));
    TILESPMV_CUDA(cudaStreamSynchronize(stream()));  // whose memory may change
}

template <class T>
void DeviceSpace<T>::download(Vector<const T> from, std::span<T> to) {
    TILESPMV_CUDA(cudaMemcpyAsync(to.data(), from.data, to.size_bytes(), cudaMemcpyDeviceToHost, stream()));
    TILESPMV_CUDA(cudaStreamSynchronize(stream()));
}

template <class T>
void DeviceSpace<T>::copy(Vector<const T> from, Vector<T> to) {
    if (from.data == to.data || this->size() == 0) return;
    TILESPMV_CUDA(cudaMemcpyAsync(to.data, from.data, this->size() * sizeof(T), cudaMemcpyDeviceToDevice, stream()));
}

template <class T>
void DeviceSpace<T>::clear(Vector<T> v) {
    TILESPMV_CUDA(cudaMemsetAsync(v.data, 0, v.size * sizeof(T), stream()));
}

template <class T>
Finish DeviceSpace<T>::finish(Recurrence recurrence) {
    return {scalars(), sums(), recurrence};
}

template <class T>
void DeviceSpace<T>::remove_mean(Vector<T> v) {
    if (this->total_size() == 0) return;
    kernels_.sum(v.data, finish(Recurrence::none));
    finished(Recurrence::none);
    kernels_.subtract_mean(v.data, sums(), static_cast<double>(this->total_size()));
}

template <class T>
double DeviceSpace<T>::norm2(Vector<const T> r) {
    kernels_.residual2(r.data, finish(Recurrence::none));
    finished(Recurrence::none);
    double& sum = pinned().sums[0];
    TILESPMV_CUDA(cudaMemcpyAsync(&sum, sums(), sizeof(double), cudaMemcpyDeviceToHost, stream()));
    TILESPMV_CUDA(cudaStreamSynchronize(stream()));
    return sum;
}

template <class T>
void DeviceSpace<T>::advance(const Iterates<T>& v) {
    kernels_.advance(v, scalars());
}

template <class T>
void DeviceSpace<T>::advance_and_precondition(const Iterates<T>& v) {
    if (!this->is_diagonal()) return Space<T>::advance_and_precondition(v);
    kernels_.advance(v, scalars(), diagonal());
}

template <class T>
void DeviceSpace<T>::inner_products(const Iterates<T>& v) {
    kernels_.inner_products(v, finish(Recurrence::inner_products));
    finished(Recurrence::inner_products);
}

template <class T>
void DeviceSpace<T>::direction(const Iterates<T>& v) {
    kernels_.direction(v, scalars());
}

template <class T>
void DeviceSpace<T>::step_length(const Iterates<T>& v) {
    kernels_.step_length(v, finish(Recurrence::step_length));
    finished(Recurrence::step_length);
}

template <class T>
void DeviceSpace<T>::move(const Iterates<T>& v) {
    kernels_.move(v, scalars());
}

template <class T>
void DeviceSpace<T>::ratio(const Iterates<T>& v) {
    kernels_.ratio(v, finish(Recurrence::ratio));
    finished(Recurrence::ratio);
}

template <class T>
void DeviceSpace<T>::move_and_precondition(const Iterates<T>& v) {
    if (!this->is_diagonal()) return Space<T>::move_and_precondition(v);
    kernels_.move(v, diagonal(), finish(Recurrence::ratio));
    finished(Recurrence::ratio);
}

template <class T>
void DeviceSpace<T>::write_scalars(const Scalars& scalars) {
    Scalars& from = pinned().scalars;
    TILESPMV_CUDA(cudaStreamSynchronize(stream()));  // an earlier copy from it
    from = scalars;
    TILESPMV_CUDA(cudaMemcpyAsync(this->scalars(), &from, sizeof(Scalars), cudaMemcpyHostToDevice, stream()));
}

template <class T>
Scalars DeviceSpace<T>::read_scalars() {
    Scalars& to = pinned().scalars;
    TILESPMV_CUDA(cudaMemcpyAsync(&to, this->scalars(), sizeof(Scalars), cudaMemcpyDeviceToHost, stream()));
    TILESPMV_CUDA(cudaStreamSynchronize(stream()));
    return to;
}

template <class T>
typename DeviceSpace<T>::Block& DeviceSpace<T>::block_for(int count, Method method, const Iterates<T>& v) {
    const auto found = std::ranges::find_if(blocks_, [&](const Block& block) {
        return block.count == count && block.method == method && are_same(block.v, v);
    });
    if (found != blocks_.end()) return *found;
    if (blocks_.size() == kMostGraphs) blocks_.clear();
    return blocks_.emplace_back(Block{count, method, v, nullptr});
}

template <class T>
void DeviceSpace<T>::repeat(int count, Method method, const Iterates<T>& v, const std::function<void()>& iteration) {
    if (count <= 0) return;
    if (persistent_) return persistent_->run(count, method, v, diagonal(), scalars());
    last_count_ = std::max(count, last_count_);
    const auto all = [&] {
        for (int i = 0; i < count; ++i) iteration();
    };
    const std::size_t known = blocks_.size();
    Block& block = block_for(count, method, v);
    const bool is_new = known != blocks_.size() || known == 0;
    if (is_new) return all();  // kernels are loaded, too, which a recording must not do
    if (!block.graph) {
        block.graph = std::make_unique<cuda::Graph>(stream(), all);
        recorded();
    }
    block.graph->launch();
}

template class DeviceSpace<double>;
template class DeviceSpace<float>;

}  // namespace tilespmv::solver
