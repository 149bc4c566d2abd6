#include "tile/io/input.hpp"

#include <cerrno>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "tile/io/descriptor.hpp"
#include "tile/io/growing_text.hpp"
#include "tile/io/mapped_file.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

/// Asked without opening the file: a pipe that is opened and closed again has lost its writer.
bool is_pipe_or_device(const fs::path& file) {
    std::error_code ignored;
    const auto type = fs::status(file, ignored).type();
    return type == fs::file_type::fifo || type == fs::file_type::character;
}

OwnedText read_to_end(const fs::path& file) {
    const Descriptor descriptor(file);
    GrowingText text;
    for (;;) {
        const auto bytes = ::read(descriptor.value, text.room(), GrowingText::kBlock);
        if (bytes == 0) return std::move(text).finish();
        if (bytes < 0 && errno != EINTR) cannot_read(file, last_reason());
        if (bytes > 0) text.add(static_cast<std::size_t>(bytes));
    }
}

}  // namespace

void InputLimits::require_backed(std::string_view place, std::int32_t rows, std::int32_t cols,
                                 std::uint64_t input_bytes) const {
    const auto needed = (std::uint64_t{1} + static_cast<std::uint64_t>(rows) + static_cast<std::uint64_t>(cols)) * 8;
    const auto most = std::max(bytes, input_bytes * ratio);
    if (needed <= most) return;
    throw Error(
        fmt::format("{}: found a matrix of {} x {}, whose row pointers and vectors take {} bytes, in an input of "
                    "{}, expected at most {} bytes (--allow-large lifts this limit)",
                    place, rows, cols, needed, input_bytes, most));
}

Input::Input(fs::path file) : file_(std::move(file)), is_stream_(is_pipe_or_device(file_)) {
    if (is_stream_) {
        auto text = read_to_end(file_);
        bytes_ = {text.data.get(), text.size};
        owner_ = std::move(text.data);
    } else {
        auto mapped = std::make_shared<MappedFile>(file_);
        bytes_ = {reinterpret_cast<const char*>(mapped->data()), mapped->size()};
        owner_ = std::move(mapped);
        is_mapped_ = true;
    }
}

Input::Input(fs::path name, std::string_view bytes) : file_(std::move(name)) {
    constexpr std::size_t padding = 64;
    auto copy = std::make_shared<std::string>(bytes);
    copy->append(padding, '\0');
    bytes_ = {copy->data(), bytes.size()};
    owner_ = std::move(copy);
}

}  // namespace tilespmv
