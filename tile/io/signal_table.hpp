#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace tilespmv {

/// Up to N pointers that a signal handler can read while threads add and remove theirs, without locks. The handler
/// takes entries out, for the process ends with it; who finds an entry taken must not free what it points to.
template <class T, std::size_t N>
class SignalTable {
public:
    /// False if the table is full.
    bool add(T* entry) noexcept {
        for (auto& place : places_) {
            T* empty = nullptr;
            if (place.compare_exchange_strong(empty, entry)) return true;
        }
        return false;
    }

    /// False if a signal handler has taken the entry.
    bool remove(T* entry) noexcept {
        for (auto& place : places_) {
            T* expected = entry;
            if (place.compare_exchange_strong(expected, nullptr)) return true;
        }
        return false;
    }

    /// Calls use(entry) for every entry. Async-signal-safe if `use` is.
    template <class F>
    void take_all(F&& use) noexcept {
        for (auto& place : places_) {
            if (T* entry = place.exchange(nullptr)) use(*entry);
        }
    }

private:
    static_assert(std::atomic<T*>::is_always_lock_free);
    std::array<std::atomic<T*>, N> places_{};
};

}  // namespace tilespmv
