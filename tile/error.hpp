#pragma once

#include <stdexcept>
#include <string>

namespace tilespmv {

/// Exit codes of the command line; every `Error` carries the one it ends the program with.
enum class ExitCode : int {
    ok = 0,
    failure = 1,       ///< run-time failure: unreadable input, out of memory, ...
    usage = 2,         ///< the command line or an argument is wrong
    verification = 3,  ///< a result was computed and is not right
    unavailable = 4,   ///< this build or this machine lacks a device or backend
};

/// The only exception that tilespmv throws on its own account. `what()` is one line that says what is wrong, where,
/// and, if it can be known, what to do.
class Error : public std::runtime_error {
public:
    /// `message`: one line, without a line end.
    explicit Error(const std::string& message, ExitCode code = ExitCode::failure)
        : std::runtime_error(message), code_(code) {}

    /// What a command ends with that does not handle it.
    [[nodiscard]] ExitCode code() const noexcept { return code_; }

private:
    ExitCode code_;
};

}  // namespace tilespmv
