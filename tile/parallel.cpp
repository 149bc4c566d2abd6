#include "tile/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <thread>

#include <omp.h>
#include <sched.h>

namespace tilespmv {
namespace {

/// Calls that several threads claim one after the other. Nothing is allocated for it: it ends when none of them is in
/// it any more.
class SharedLoop {
public:
    using Call = std::function<void(std::int64_t)>;

    /// `helpers`: the most threads that are to be woken.
    SharedLoop(std::int64_t count, const Call& call, std::int64_t helpers)
        : count_(count), call_(call), helpers_(helpers) {}

    /// Makes calls as long as there are some that nobody has begun.
    void run() {
        for (std::int64_t i = begun_++; i < count_; i = begun_++) {
            wake_helpers();
            try {
                call_(i);
            } catch (...) {
                keep_exception(i);
            }
        }
    }
    /// The first threads wake two each, and these two more: to wake a thread takes microseconds, in which a short loop
    /// ends.
    void wake_helpers();
    void rethrow() {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    friend class Helpers;

    /// That of the lowest call, so that what the user reads does not depend on the number of threads.
    void keep_exception(std::int64_t i) {
        const std::lock_guard lock(mutex_);
        if (i >= thrown_by_) return;
        thrown_by_ = i;
        exception_ = std::current_exception();
    }

    const std::int64_t count_;
    const Call& call_;
    const std::int64_t helpers_;
    std::atomic<std::int64_t> woken_ = 0;
    std::atomic<std::int64_t> begun_ = 0;
    std::mutex mutex_;
    std::int64_t thrown_by_ = std::numeric_limits<std::int64_t>::max();
    std::exception_ptr exception_;
    // Of `Helpers`, under their mutex.
    int inside_ = 0;
    std::condition_variable left_;
};

/// The threads of the process that help with loops. They are started when they are first needed, sleep until they are
/// woken, and are there until the process ends.
class Helpers {
public:
    static Helpers& of_process() {
        static auto& helpers = *new Helpers;  // never destroyed: its threads wait in it
        return helpers;
    }

    /// False if all of them, `most` or one for each other processor, are busy. The one that has slept least is woken:
    /// its processor may be awake still.
    bool wake(SharedLoop& loop, std::int64_t most) {
        Helper* one = nullptr;
        {
            const std::lock_guard lock(mutex_);
            if (idle_.empty()) return std::ssize(all_) < std::max(most, processors_ - 1) && start(loop);
            one = idle_.back();
            idle_.pop_back();
            one->loop = &loop;
        }
        one->woken.notify_one();
        return true;
    }

    /// Returns when none of them is in the loop; those that were woken, and are not there yet, do not come any more.
    void leave(SharedLoop& loop) {
        std::unique_lock lock(mutex_);
        loop.left_.wait(lock, [&] {
            for (Helper& one : all_) {
                if (one.loop != &loop) continue;
                one.loop = nullptr;
                idle_.push_back(&one);
            }
            return loop.inside_ == 0;
        });
    }

private:
    struct Helper {
        SharedLoop* loop = nullptr;  ///< to which it is on its way
        std::condition_variable woken;
    };

    bool start(SharedLoop& loop) {
        const std::size_t before = all_.size();
        try {
            idle_.reserve(before + 1);
            Helper& one = all_.emplace_back();
            std::thread([this, &one] { work(one); }).detach();
            one.loop = &loop;
            return true;
        } catch (const std::exception&) {  // the system gives no more threads, or no memory
            if (all_.size() > before) all_.pop_back();
            return false;
        }
    }

    [[noreturn]] void work(Helper& self) {
        use_all_processors();
        omp_set_num_threads(1);  // of the loops within this one's
        std::unique_lock lock(mutex_);
        for (;;) {
            self.woken.wait(lock, [&] { return self.loop != nullptr; });
            SharedLoop& loop = *std::exchange(self.loop, nullptr);
            ++loop.inside_;
            lock.unlock();
            loop.run();
            lock.lock();
            if (--loop.inside_ == 0) loop.left_.notify_one();
            idle_.push_back(&self);
        }
    }

    /// Those that OpenMP uses: with OMP_PROC_BIND it has bound the thread that started this one to some of them.
    static void use_all_processors() {
        cpu_set_t all;
        CPU_ZERO(&all);
        for (int place = 0; place < omp_get_num_places(); ++place) {
            std::vector<int> processors(static_cast<std::size_t>(omp_get_place_num_procs(place)));
            omp_get_place_proc_ids(place, processors.data());
            for (const int processor : processors) CPU_SET(processor, &all);
        }
        if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof(all), &all);
    }

    const std::int64_t processors_ = omp_get_num_procs();
    std::mutex mutex_;
    std::deque<Helper> all_;
    std::vector<Helper*> idle_;
};

void SharedLoop::wake_helpers() {
    for (int i = 0; i < 2 && woken_ < helpers_ && begun_ < count_; ++i) {
        if (woken_++ < helpers_ && !Helpers::of_process().wake(*this, helpers_)) {
            --woken_;
            return;
        }
    }
}

}  // namespace

void run_parallel(std::int64_t count, const std::function<void(std::int64_t)>& f) {
    const int threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
    if (count <= 1 || threads <= 1) {
        for (std::int64_t i = 0; i < count; ++i) f(i);
        return;
    }
    SharedLoop loop(count, f, std::min<std::int64_t>(count, threads) - 1);
    omp_set_num_threads(1);
    loop.run();
    omp_set_num_threads(threads);
    Helpers::of_process().leave(loop);
    loop.rethrow();
}

}  // namespace tilespmv
