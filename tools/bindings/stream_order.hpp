#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

struct CUstream_st;

namespace tilespmv::bindings {

/// Keeps work with one matrix on a GPU in order, although callers change streams. Products on up to four streams run at
/// once, each stream in a workspace of its own; new values come after all products that were given before them, and
/// before all others. A caller's stream need not live longer than its work. Its end waits for that.
class StreamOrder {
public:
    static constexpr int kMostWorkspaces = 4;

    /// Work that a stream is to be given, in a workspace in which no other stream works.
    struct Turn {
        CUstream_st* stream = nullptr;
        int workspace = 0;         ///< its number; 0 is the operator's own
        bool is_captured = false;  ///< it becomes part of a graph, which runs when its owner launches it
    };

    StreamOrder();
    ~StreamOrder();

    /// The turn of a product in one of the first `workspaces` on a stream (0: the default one), which waits there for
    /// what ran in that workspace on another stream before. A captured product works in the operator's own.
    Turn follow(std::uintptr_t stream, int workspaces);
    /// The same for work with arrays of the host, on a stream of its own.
    Turn follow_own();
    /// The turn of new values: after all products.
    Turn follow_all(std::uintptr_t stream);
    /// What takes this workspace next, or after new values whatever comes, waits for all that the stream was given
    /// until now. After the work of a turn.
    void leave(const Turn& turn);
    /// Waits until all work of the GPU is complete, if there is one.
    void wait_for_device(bool is_on_gpu);

private:
    static constexpr int kAll = -1;  // in place of a workspace: the turn of new values

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

}  // namespace tilespmv::bindings
