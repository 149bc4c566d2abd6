#pragma once

#include <chrono>
#include <string>

namespace tilespmv::tools {

/// One line on stderr that says how far a long piece of work is; nothing at all if stderr is no terminal. The line is
/// wiped at the end.
class Progress {
public:
    explicit Progress(std::string what);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `share`: 0 to 1. Cheap enough to be called often: draws ten times a second at most.
    void show(double share);

private:
    using Clock = std::chrono::steady_clock;

    std::string what_;
    bool terminal_;
    bool drawn_ = false;
    Clock::time_point next_;
};

}  // namespace tilespmv::tools
