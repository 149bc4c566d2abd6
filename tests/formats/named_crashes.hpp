#pragma once

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <unistd.h>

namespace tilespmv::testing {

/// The format and the tile that are being tested, for a crash to name.
inline std::array<char, 200> under_test{};

inline std::array<struct sigaction, NSIG> actions_before{};

/// Says what was being tested, and leaves the rest to whoever handled the signal before.
inline void name_crash(int signal) {
    static_cast<void>(::write(STDERR_FILENO, under_test.data(), std::strlen(under_test.data())));
    sigaction(signal, &actions_before[static_cast<std::size_t>(signal)], nullptr);
    raise(signal);
}

inline const bool crashes_are_named = [] {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        struct sigaction action {};
        action.sa_handler = name_crash;
        sigaction(signal, &action, &actions_before[static_cast<std::size_t>(signal)]);
    }
    return true;
}();

inline void set_under_test(std::string_view format, const std::string& tile) {
    std::snprintf(under_test.data(), under_test.size(), "\ncrash in format %.*s, tile '%s'\n",
                  static_cast<int>(format.size()), format.data(), tile.c_str());
}

}  // namespace tilespmv::testing
