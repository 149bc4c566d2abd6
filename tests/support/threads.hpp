#pragma once

#include <omp.h>

namespace tilespmv::test {

/// Sets the number of threads while it lives.
class Threads {
public:
    explicit Threads(int count) { omp_set_num_threads(count); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { omp_set_num_threads(before_); }

private:
    int before_ = omp_get_max_threads();
};

/// What `make()` makes with so many threads.
template <class F>
auto with_threads(int count, F&& make) {
    const Threads threads(count);
    return make();
}

}  // namespace tilespmv::test
