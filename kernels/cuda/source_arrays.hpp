#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/sent_arrays.hpp"
#include "kernels/source.hpp"

namespace tilespmv::cuda {

/// While it lives, columns and values of the CSR form of a source are copied to the GPU by another thread, for
/// whichever operator is made of that next.
template <class V>
class SentSource {
public:
    SentSource(const Source<V>& source, const DeviceContext& on)
        : source_(source), arrays_({bytes_of(source.csr().col_idxs), bytes_of(source.csr().values)}, on) {
        source_.lend(&arrays_);
    }
    SentSource(const SentSource&) = delete;
    SentSource& operator=(const SentSource&) = delete;
    ~SentSource() { source_.lend(nullptr); }

    static constexpr std::size_t kColumns = 0;
    static constexpr std::size_t kValues = 1;

private:
    template <class T>
    static std::span<const std::byte> bytes_of(const Buffer<T>& array) {
        return std::as_bytes(std::span<const T>(array.data(), array.size()));
    }

    Source<V> source_;
    SentArrays arrays_;
};

/// `host`, array number `which` of a `SentSource`: the copy that is there, or one that is begun on the stream.
template <class V, class T>
DeviceBuffer<T> taken_or_uploaded(const Source<V>& source, std::size_t which, const Buffer<T>& host,
                                  const DeviceContext& on) {
    void* const taken = source.sent() == nullptr ? nullptr : source.sent()->take(which);
    if (taken != nullptr) return DeviceBuffer<T>(static_cast<T*>(taken), host.size(), on);
    return DeviceBuffer<T>(host, on);
}

/// The columns of the CSR form in device memory, which work that is put on the stream afterwards finds complete.
template <class V>
DeviceBuffer<index_t> columns_on_device(const Source<V>& source, const DeviceContext& on) {
    return taken_or_uploaded(source, SentSource<V>::kColumns, source.csr().col_idxs, on);
}
/// Its values.
template <class V>
DeviceBuffer<V> values_on_device(const Source<V>& source, const DeviceContext& on) {
    return taken_or_uploaded(source, SentSource<V>::kValues, source.csr().values, on);
}

}  // namespace tilespmv::cuda
