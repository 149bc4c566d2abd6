#include "tools/terminal/progress.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace tilespmv::tools {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

}  // namespace

// The first line waits one interval, so that quick work shows none.
Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + kInterval) {}

Progress::~Progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::show(double share) {
    if (!terminal_ || Clock::now() < next_) return;
    next_ = Clock::now() + kInterval;
    drawn_ = true;
    std::fputs(fmt::format("\r\033[K{} {:3.0f}%", what_, 100 * share).c_str(), stderr);
}

}  // namespace tilespmv::tools
