#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

namespace tilespmv::matrix_market {

/// Collects what several threads have done and tells it to one listener, from one thread at a time.
class Progress {
public:
    explicit Progress(std::function<void(double)> listener) : listener_(std::move(listener)) {}

    /// `share` more of all the work is done.
    void advance(double share) {
        if (!listener_) return;
        const std::scoped_lock lock(mutex_);
        done_ = std::min(done_ + share, 1.0);
        listener_(done_);
    }
    /// All of the work up to `share` is done.
    void reach(double share) { advance(share - done_); }
    /// What is left of the work.
    [[nodiscard]] double rest() const { return 1.0 - done_; }

private:
    std::function<void(double)> listener_;
    std::mutex mutex_;
    double done_ = 0;
};

}  // namespace tilespmv::matrix_market
