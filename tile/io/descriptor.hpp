#pragma once

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tile/error.hpp"

namespace tilespmv {

[[noreturn]] inline void cannot_read(const std::filesystem::path& file, const std::string& reason) {
    throw Error(fmt::format("{}: cannot be read: {}", file.string(), reason));
}

/// What `errno` says.
inline std::string last_reason() { return std::generic_category().message(errno); }

/// A file that is open for reading. Throws Error if it cannot be opened.
struct Descriptor {
    explicit Descriptor(const std::filesystem::path& file, int further_flags = 0)
        : value(::open(file.c_str(), O_RDONLY | O_CLOEXEC | further_flags)) {
        if (value < 0) cannot_read(file, last_reason());
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(value); }
    int value;
};

}  // namespace tilespmv
