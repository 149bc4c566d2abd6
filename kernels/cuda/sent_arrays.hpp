#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "tile/task_group.hpp"

namespace tilespmv::cuda {

/// Arrays of the host that another thread copies to the GPU while the caller finds out which operator is to have them.
/// The host's arrays and the stream must outlive it. Memory that is not the library's own is taken and given back in
/// the caller's thread.
class SentArrays {
public:
    SentArrays(const std::vector<std::span<const std::byte>>& arrays, const DeviceContext& on);
    SentArrays(const SentArrays&) = delete;
    SentArrays& operator=(const SentArrays&) = delete;
    ~SentArrays();

    /// The copy of array number `which`, with slack, which is the caller's from then on: work that is put on the stream
    /// after it finds it complete. Null if that array was not sent, for it is empty or there was too little memory, or
    /// has been taken.
    void* take(std::size_t which);

private:
    explicit SentArrays(const DeviceContext& on);

    struct Sent {
        std::span<const std::byte> from;
        void* to = nullptr;
        bool is_copied = false;
    };
    [[nodiscard]] void* allocate(const Sent& one) const;
    void send(const Sent& one) const;
    void copy(Sent& one) const noexcept;

    DeviceContext on_;
    int device_ = 0;
    std::vector<Sent> sent_;
    std::optional<TaskGroup> copies_;
};

}  // namespace tilespmv::cuda
