#include "kernels/cuda/sent_arrays.hpp"

#include <utility>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

SentArrays::SentArrays(const DeviceContext& on) : on_(on.stream, on.memory) { TILESPMV_CUDA(cudaGetDevice(&device_)); }

SentArrays::SentArrays(const std::vector<std::span<const std::byte>>& arrays, const DeviceContext& on)
    : SentArrays(on) {  // so that what was taken is given back where there is too little memory
    if (on.stream == cudaStreamPerThread) return;  // another stream in another thread
    for (const auto& array : arrays) sent_.push_back({array, nullptr});
    if (on.memory != stream_ordered_memory()) {  // which any thread may ask: one wakes meanwhile
        for (Sent& one : sent_) {
            if (!one.from.empty()) one.to = allocate(one);
        }
    }
    std::vector<TaskGroup::Task> copies;
    for (Sent& one : sent_) {
        if (!one.from.empty()) copies.emplace_back([this, &one] { copy(one); });
    }
    copies_.emplace(std::move(copies));
}

void* SentArrays::allocate(const Sent& one) const {
    return on_.memory->allocate(one.from.size() + kSlackBytes, on_.stream);
}

SentArrays::~SentArrays() {
    copies_.reset();
    for (const Sent& one : sent_) {
        if (one.to != nullptr) on_.memory->deallocate(one.to, one.from.size() + kSlackBytes, on_.stream);
    }
}

void SentArrays::send(const Sent& one) const {
    TILESPMV_CUDA(cudaMemsetAsync(static_cast<std::byte*>(one.to) + one.from.size(), 0, kSlackBytes, on_.stream));
    copy_to_device(one.to, one.from.data(), one.from.size(), on_.stream);
}

/// Where it fails, `take` tries again and says why, or who then asks for the memory.
void SentArrays::copy(Sent& one) const noexcept {
    try {
        TILESPMV_CUDA(cudaSetDevice(device_));
        if (one.to == nullptr) one.to = allocate(one);
        send(one);
        one.is_copied = true;
    } catch (...) {
        static_cast<void>(cudaGetLastError());
    }
}

void* SentArrays::take(std::size_t which) {
    if (which >= sent_.size()) return nullptr;
    copies_->wait();
    Sent& one = sent_[which];
    if (one.to != nullptr && !one.is_copied) send(one);
    return std::exchange(one.to, nullptr);
}

}  // namespace tilespmv::cuda
