#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "selector/auto/matrix_features.hpp"
#include "tile/types.hpp"

/// The sample of a matrix that its features come from.
namespace tilespmv {

inline constexpr offset_t kBlock = 512;           ///< nonzeros
inline constexpr offset_t kMostSamples = 256;     ///< blocks, and tile rows
inline constexpr offset_t kLeastNonzeros = 8192;  ///< of the sample, if the matrix has so many
inline constexpr offset_t kSampledPart = 32;      ///< of larger matrices one in so many
inline constexpr offset_t kMostSlots = 1024;      ///< of a tile row; what follows is taken to be alike

inline std::uint64_t mixed(std::uint64_t bits) {
    bits *= 0x9e3779b97f4a7c15;
    return bits ^ (bits >> 32);
}

/// Where the i-th of `samples` pieces begins that are spread evenly over [0, size).
inline offset_t spread(offset_t i, offset_t samples, offset_t size) {
    return static_cast<offset_t>(static_cast<double>(i) / static_cast<double>(samples) * static_cast<double>(size));
}

inline offset_t sampled_nonzeros(offset_t nnz) {
    return std::clamp(nnz / kSampledPart, kLeastNonzeros, kMostSamples * kBlock);
}

/// Up to kMost distinct numbers.
template <class T, std::int64_t kMost>
class DistinctNumbers {
public:
    DistinctNumbers() { places_.fill(kNone); }
    void add(T number) {
        auto place = static_cast<std::size_t>(mixed(static_cast<std::uint64_t>(number))) % places_.size();
        while (places_[place] != kNone && places_[place] != number) place = (place + 1) % places_.size();
        count_ += places_[place] == kNone;
        places_[place] = number;
    }
    [[nodiscard]] offset_t count() const { return count_; }
    /// In ascending order.
    [[nodiscard]] std::vector<T> sorted() const {
        std::vector<T> numbers;
        std::ranges::copy_if(places_, std::back_inserter(numbers), [](T number) { return number != kNone; });
        std::ranges::sort(numbers);
        return numbers;
    }

private:
    static constexpr T kNone = std::numeric_limits<T>::min();
    std::array<T, 2 * kMost> places_;
    offset_t count_ = 0;
};

/// What tile rows of the sample say: slots, patterns, tiles and rows of an inode.
void add_strips(const PatternView& a, MatrixFeatures& f);
/// Diagonals of the sample, and of all nonzeros where DIA may pay.
void add_diagonals(const PatternView& a, MatrixFeatures& f);

}  // namespace tilespmv
