#include "tile/sorted_window.hpp"

#include <utility>

namespace tilespmv::detail {

void SortedWindow::sort() {
    constexpr std::size_t few = 64;
    if (size_ < few) {
        std::sort(keys_, keys_ + size_);
    } else {
        sort_by_digits();
    }
    keys_[size_] = kBehindAll;
}

/// By the tile only, since the rows were read in their order: digits of it from the lowest on, each by counting.
void SortedWindow::sort_by_digits() {
    constexpr int max_digit_bits = 10;
    const int bits = width_log2_ - kColBits;
    const int digits = (bits + max_digit_bits - 1) / max_digit_bits;
    const int digit_bits = (bits + digits - 1) / digits;
    const std::uint32_t mask = (1u << digit_bits) - 1;
    std::array<std::uint16_t, 1 << max_digit_bits> places;
    for (int shift = kPlaceBits; shift < kPlaceBits + bits; shift += digit_bits) {
        std::fill_n(places.begin(), mask + 1, std::uint16_t{0});
        for (std::size_t i = 0; i < size_; ++i) ++places[keys_[i] >> shift & mask];
        std::uint16_t before = 0;
        for (std::uint32_t d = 0; d <= mask; ++d) {
            before = static_cast<std::uint16_t>(before + std::exchange(places[d], before));
        }
        for (std::size_t i = 0; i < size_; ++i) other_[places[keys_[i] >> shift & mask]++] = keys_[i];
        std::swap(keys_, other_);
    }
}

}  // namespace tilespmv::detail
