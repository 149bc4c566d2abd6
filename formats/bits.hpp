#pragma once

#include <bit>
#include <cstdint>

#include "tile/types.hpp"

namespace tilespmv::formats {

/// Bytes of `n` packed 4-bit indices; the first of a pair is the low half.
TILESPMV_HD constexpr int nibble_bytes(int n) { return (n + 1) / 2; }

/// The i-th of packed 4-bit indices.
TILESPMV_HD inline int get_nibble(const std::uint8_t* bytes, int i) { return bytes[i / 2] >> (i % 2 * 4) & 15; }

/// Whether the high half of the last byte is 0 where an odd number of 4-bit indices leaves it over.
inline bool spare_nibble_is_zero(const std::uint8_t* bytes, int n) { return n % 2 == 0 || bytes[n / 2] >> 4 == 0; }

/// Whether each of n packed 4-bit indices is below the one behind it.
inline bool nibbles_ascend(const std::uint8_t* bytes, int n) {
    bool ok = true;
    for (int i = 1; i < n; ++i) ok = ok && get_nibble(bytes, i - 1) < get_nibble(bytes, i);
    return ok;
}

/// Sets nibble i of bytes that were zeroed before.
inline void set_nibble(std::uint8_t* bytes, int i, int value) {
    const auto k = static_cast<unsigned>(i);  // halving it takes one instruction instead of three
    bytes[k / 2] = static_cast<std::uint8_t>(bytes[k / 2] | value << (k % 2 * 4));
}

/// Writes 4-bit indices one after the other, two to a byte.
class NibbleWriter {
public:
    explicit NibbleWriter(std::uint8_t* bytes) : bytes_(bytes) {}
    void put(int value) {
        if (odd_) {
            *bytes_++ = static_cast<std::uint8_t>(low_ | value << 4);
        } else {
            low_ = value;
        }
        odd_ = !odd_;
    }
    /// Writes the last byte if only its low half was put.
    void finish() {
        if (odd_) *bytes_ = static_cast<std::uint8_t>(low_);
    }

private:
    std::uint8_t* bytes_;
    int low_ = 0;
    bool odd_ = false;
};

/// Masks: 16 bits, little-endian, at any address. Bit r of mask k says that place (r, k) of a column-major block holds
/// a nonzero; they are stored only for blocks with holes, so that padding never meets x (0 * Inf is NaN).
inline constexpr int kMaskBytes = 2;

/// The k-th of consecutive masks; `set_mask` writes it.
TILESPMV_HD inline unsigned get_mask(const std::uint8_t* bytes, int k) {
    return bytes[2 * k] | static_cast<unsigned>(bytes[2 * k + 1]) << 8;
}
inline void set_mask(std::uint8_t* bytes, int k, unsigned mask) {
    bytes[2 * k] = static_cast<std::uint8_t>(mask & 255u);
    bytes[2 * k + 1] = static_cast<std::uint8_t>(mask >> 8);
}

/// Calls f(row) for the rows below `rows` that a mask leaves out: rarely many.
template <class F>
void for_each_hole(unsigned mask, int rows, F&& f) {
    for (unsigned holes = ~mask & ((1u << rows) - 1); holes != 0; holes &= holes - 1) f(std::countr_zero(holes));
}

/// Calls f(row) for the rows below `rows` that a mask selects.
template <class F>
TILESPMV_HD void for_each_row(unsigned mask, int rows, F&& f) {
    for (int r = 0; r < rows; ++r) {
        if (mask >> r & 1u) f(r);
    }
}

}  // namespace tilespmv::formats
