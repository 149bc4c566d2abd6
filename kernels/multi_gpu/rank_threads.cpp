#include "kernels/multi_gpu/rank_threads.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

#include <omp.h>

namespace tilespmv::multi_gpu {

void Meeting::wait() {
    std::unique_lock lock(mutex_);
    const long round = round_;
    if (!is_abandoned_ && ++arrived_ == ranks_) {
        arrived_ = 0;
        ++round_;
        changed_.notify_all();
    }
    changed_.wait(lock, [&] { return is_abandoned_ || round_ != round; });
    if (round_ == round) throw Abandoned{};
}

void Meeting::abandon() noexcept {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
    changed_.notify_all();
}

/// Shows what it sends, meets, copies what the others show, and meets again before anybody changes it.
class ThreadGroup::Member : public Communicator {
public:
    Member(ThreadGroup& group, int rank) : group_(&group), rank_(rank) {}

    [[nodiscard]] int size() const override { return group_->meeting_.ranks(); }

    void exchange(const HaloPlan& plan, const void* sent, void* halo, std::size_t value_bytes, void*) override {
        show({&plan, sent});
        for (const Parcel& parcel : plan.receives) {
            const Shown& from = shown(parcel.rank);
            const Parcel& same = *std::ranges::find(from.plan->sends, rank_, &Parcel::rank);
            std::memcpy(static_cast<std::byte*>(halo) + static_cast<std::size_t>(parcel.first) * value_bytes,
                        static_cast<const std::byte*>(from.values) + static_cast<std::size_t>(same.first) * value_bytes,
                        static_cast<std::size_t>(parcel.count) * value_bytes);
        }
        group_->meeting_.wait();
    }

    void all_gather(const double* own, int count, double* all, void*) override {
        show({nullptr, own});
        for (int rank = 0; rank < size(); ++rank) {
            std::copy_n(static_cast<const double*>(shown(rank).values), count, all + rank * count);
        }
        group_->meeting_.wait();
    }

private:
    [[nodiscard]] Shown& shown(int rank) const { return group_->shown_[static_cast<std::size_t>(rank)]; }
    void show(const Shown& what) {
        shown(rank_) = what;
        group_->meeting_.wait();
    }

    ThreadGroup* group_;
    int rank_;
};

ThreadGroup::ThreadGroup(int ranks) : meeting_(ranks), shown_(static_cast<std::size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) members_.push_back(std::make_unique<Member>(*this, rank));
}

Communicator& ThreadGroup::communicator(int rank) { return *members_[static_cast<std::size_t>(rank)]; }

namespace {

/// What the ranks' threads ended with.
class Failures {
public:
    Failures(Meeting& meeting, const std::function<void()>& on_failure)
        : meeting_(&meeting), on_failure_(&on_failure) {}

    /// The rank of the lowest number is kept of those that failed by themselves; the first one, where what `on_failure`
    /// does may make others fail.
    void add(int rank, const std::exception_ptr& failure) {
        const std::lock_guard lock(mutex_);
        if (first_ && (rank > rank_ || *on_failure_)) return;
        const bool is_first = !first_;
        first_ = failure;
        rank_ = rank;
        if (!is_first) return;
        if (*on_failure_) (*on_failure_)();
        meeting_->abandon();
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

private:
    Meeting* meeting_;
    const std::function<void()>* on_failure_;
    std::mutex mutex_;
    int rank_ = 0;
    std::exception_ptr first_;
};

void run_rank(int rank, int threads, const std::function<void(int)>& f, Failures& failures) noexcept {
    omp_set_num_threads(threads);  // of this thread's loops
    try {
        f(rank);
    } catch (const Meeting::Abandoned&) {  // the other one says why
    } catch (...) {
        failures.add(rank, std::current_exception());
    }
}

}  // namespace

void run_ranks(Meeting& meeting, const std::function<void(int rank)>& f, const std::function<void()>& on_failure) {
    if (meeting.ranks() == 1) return f(0);
    Failures failures(meeting, on_failure);
    const int threads = std::max(1, omp_get_max_threads() / meeting.ranks());
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < meeting.ranks(); ++rank) {
        ranks.emplace_back([&, rank] { run_rank(rank, threads, f, failures); });
    }
    ranks.clear();  // waits for them
    failures.rethrow();
}

}  // namespace tilespmv::multi_gpu
