#include "tools/terminal/status_line.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "tile/io/printable.hpp"

namespace tilespmv::tools {

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() { wipe(); }

void StatusLine::show(std::string_view text) {
    if (!terminal_) return;
    drawn_ = true;
    std::fputs(fmt::format("\r\033[K{}", printable(text)).c_str(), stderr);
}

void StatusLine::wipe() {
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
}

}  // namespace tilespmv::tools
