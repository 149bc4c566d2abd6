#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "selector/tuning.hpp"

struct CUstream_st;

namespace tilespmv::bindings {

/// Keeps products of one matrix in their order on a GPU, although a caller changes streams: an operator works in one
/// workspace. A caller's stream need not live longer than its work. Its end waits for that.
class StreamOrder {
public:
    StreamOrder();
    ~StreamOrder();

    /// The stream for the next work, which waits there for what ran on another one before. 0: the default stream.
    CUstream_st* follow(std::uintptr_t stream);
    /// The same for work with arrays of the host, which waits for no stream but these.
    CUstream_st* follow_own();
    /// What follows waits for all that was given to the stream until now; after the work that `follow` was called for.
    void leave();
    /// Waits until all work of the GPU is complete, if there is one.
    void wait_for_device(bool is_on_gpu);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Throws a usage `Error` if an array in the memory of a GPU is not on the current one.
void require_on_current_gpu(const void* array);

/// Bytes in the memory of a GPU, copied to the host when what came before on the stream is complete. Throws `Error` in
/// a build without CUDA.
void copy_to_host(void* to, const void* from, std::size_t bytes, std::uintptr_t stream);

/// Bytes in the memory of the current GPU. Throws `Error` in a build without CUDA.
class DeviceBytes {
public:
    explicit DeviceBytes(std::size_t bytes);
    DeviceBytes(DeviceBytes&&) noexcept;
    ~DeviceBytes();
    [[nodiscard]] void* data() const;
    /// Copies as many bytes, from the host or a GPU, in the order of the stream; `from` has to stay until that has
    /// passed.
    void copy_from(const void* from, std::uintptr_t stream);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The current GPU, as choices see it.
std::optional<Gpu> gpu_here(std::size_t value_bytes);

}  // namespace tilespmv::bindings
