#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {

/// Text in memory of its own, followed by 64 zero bytes.
struct OwnedText {
    std::shared_ptr<char> data;
    std::size_t size = 0;
};

/// A text of unknown length, in memory that grows without copying: the C library moves large blocks by remapping their
/// pages.
class GrowingText {
public:
    static constexpr std::size_t kBlock = std::size_t{1} << 20;

    /// At least `kBlock` bytes to write to behind what was added so far. Throws `Error` if memory does not suffice.
    char* room() {
        if (capacity_ < size_ + kBlock + kPadding) grow();
        return data_.get() + size_;
    }
    void add(std::size_t bytes) { size_ += bytes; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const char* begin() const { return data_.get(); }
    [[nodiscard]] const char* end() const { return data_.get() + size_; }

    OwnedText finish() && {
        std::memset(room(), 0, kPadding);
        return {std::shared_ptr<char>(data_.release(), std::free), size_};
    }

private:
    static constexpr std::size_t kPadding = 64;
    struct Free {
        void operator()(char* p) const { std::free(p); }
    };

    void grow() {
        capacity_ = 2 * capacity_ + kBlock + kPadding;
        void* memory = std::realloc(data_.get(), capacity_);
        if (memory == nullptr) throw Error(fmt::format("out of memory: {} bytes of text are needed", capacity_));
        static_cast<void>(data_.release());
        data_.reset(static_cast<char*>(memory));
    }

    std::unique_ptr<char, Free> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace tilespmv
