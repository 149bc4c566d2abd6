#pragma once

#include <string>

#include "tile/error.hpp"

namespace tilespmv::test {

/// What `f()` ends with: the whole text of its `Error` and the exit code, "3: text"; "0: " if it throws none.
template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return std::to_string(static_cast<int>(error.code())) + ": " + error.what();
    }
    return "0: ";
}

/// The text alone; "no error" if it throws none.
template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace tilespmv::test
