#include "selector/models/similarity_vectors.hpp"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <tuple>

#include "selector/models/anchors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "selector/models/similarity_vectors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilespmv::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kBlock = Anchors::kBlock;
constexpr std::size_t kPairs = (std::tuple_size_v<Place> + 1) / 2;
constexpr double kSquareOfUnit = 1 / (Anchors::kUnits * Anchors::kUnits);

/// exp(-x) for x from 0 to 700, to 3e-13 of it: that of Highway is exact to the last bit and takes twice as long.
template <class D, class Vec = hn::Vec<D>>
HWY_INLINE Vec exp_of_negative(D d, Vec x) {
    constexpr double kLog2 = 0.693147180559945309;
    constexpr double kWhole = 0x1.8p52;  // leaves the nearest whole number in the last bits
    const hn::RebindToUnsigned<D> bits;
    const auto power = hn::NegMulAdd(x, hn::Set(d, 1 / kLog2), hn::Set(d, kWhole));
    const auto rest = hn::NegMulSub(hn::Sub(power, hn::Set(d, kWhole)), hn::Set(d, kLog2), x);
    auto sum = hn::Set(d, 1.0 / 3628800);
    for (const double factorial : {362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1})
        sum = hn::MulAdd(sum, rest, hn::Set(d, 1 / factorial));
    return hn::BitCast(d, hn::Add(hn::BitCast(bits, sum), hn::ShiftLeft<52>(hn::BitCast(bits, power))));
}

template <class D, class Vec = hn::Vec<D>>
HWY_INLINE Vec similarity(D d, Vec squares) {
    constexpr double kSteps = 0.3;
    constexpr double kFar = 400;  // where nothing is left of it
    const auto steps = hn::Min(hn::Sqrt(squares), hn::Set(d, kFar));
    const auto smooth = hn::Mul(hn::Set(d, std::sqrt(3.0)), steps);
    const auto of_smooth = hn::Mul(hn::Add(hn::Set(d, 1.0), smooth), exp_of_negative(d, smooth));
    return hn::MulAdd(hn::Set(d, kSteps), exp_of_negative(d, steps), hn::Mul(hn::Set(d, 1 - kSteps), of_smooth));
}

void similarities(const double* squares, std::size_t count, double* similarities) {
    const hn::ScalableTag<double> d;
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
        hn::StoreU(similarity(d, hn::LoadU(d, squares + i)), d, similarities + i);
    const hn::CappedTag<double, 1> one;
    for (; i < count; ++i) hn::StoreU(similarity(one, hn::LoadU(one, squares + i)), one, similarities + i);
}

double weighted_similarities(const double* squares, const double* weights, std::size_t count) {
    const hn::CappedTag<double, kBlock> d;
    auto sum = hn::Zero(d);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d))
        sum = hn::MulAdd(hn::LoadU(d, weights + i), similarity(d, hn::LoadU(d, squares + i)), sum);
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

void squared_distances(const float* coordinates, std::size_t count, std::span<const float> from, double* squares) {
    const auto square = [&](auto d, std::size_t i) {
        const hn::Rebind<float, decltype(d)> narrow;
        auto sum = hn::Zero(d);
        for (std::size_t k = 0; k < from.size(); ++k) {
            const auto apart = hn::Sub(hn::LoadU(narrow, coordinates + k * count + i), hn::Set(narrow, from[k]));
            sum = hn::MulAdd(hn::PromoteTo(d, apart), hn::PromoteTo(d, apart), sum);
        }
        hn::StoreU(sum, d, squares + i);
    };
    const hn::ScalableTag<double> d;
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) square(d, i);
    for (; i < count; ++i) square(hn::CappedTag<double, 1>(), i);
}

/// In four sums, which need not wait for each other.
double weighted_sum(const float* weights, const double* similarities, std::size_t count) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> narrow;
    const std::size_t lanes = hn::Lanes(d);
    const auto add = [&](std::size_t i, auto sum) {
        return hn::MulAdd(hn::PromoteTo(d, hn::LoadU(narrow, weights + i)), hn::LoadU(d, similarities + i), sum);
    };
    auto first = hn::Zero(d);
    auto second = first;
    auto third = first;
    auto fourth = first;
    std::size_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
        first = add(i, first);
        second = add(i + lanes, second);
        third = add(i + 2 * lanes, third);
        fourth = add(i + 3 * lanes, fourth);
    }
    for (; i + lanes <= count; i += lanes) first = add(i, first);
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(first, second), hn::Add(third, fourth))));
    for (; i < count; ++i) sum += static_cast<double>(weights[i]) * similarities[i];
    return sum;
}

#if HWY_TARGET == HWY_SCALAR  // no vectors of pairs

void squared_unit_distances(const std::int16_t* units, const std::uint32_t* /*norms*/, std::size_t count,
                            const std::int16_t* from, std::uint32_t /*norm*/, double* squares) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::int16_t* const anchor = units + i / kBlock * kBlock * 2 * kPairs + 2 * (i % kBlock);
        std::int64_t square = 0;
        for (std::size_t k = 0; k < 2 * kPairs; ++k) {
            const std::int64_t apart = anchor[k / 2 * 2 * kBlock + k % 2] - from[k];
            square += apart * apart;
        }
        squares[i] = static_cast<double>(square) * kSquareOfUnit;
    }
}

#else

using Sums = hn::CappedTag<std::int32_t, kBlock>;

/// The sums of products of coordinates, modulo 2^32.
HWY_INLINE hn::Vec<Sums> products(const std::int16_t* anchors, const std::int16_t* from) {
    const Sums d;
    const hn::RepartitionToNarrow<Sums> pairs;
    auto sum = hn::Zero(d);
    auto further = hn::Zero(d);
    for (std::size_t k = 0; k < kPairs; ++k) {
        std::int32_t pair = 0;
        std::memcpy(&pair, from + 2 * k, sizeof(pair));
        const auto of_anchors = hn::LoadU(pairs, anchors + k * 2 * kBlock);
        sum = hn::ReorderWidenMulAccumulate(d, of_anchors, hn::BitCast(pairs, hn::Set(d, pair)), sum, further);
    }
    return hn::RearrangeToOddPlusEven(sum, further);
}

/// |a - b|^2 = |a|^2 + |b|^2 - 2 ab; less 2^31, so that it fits a signed number.
void squared_unit_distances(const std::int16_t* units, const std::uint32_t* norms, std::size_t count,
                            const std::int16_t* from, std::uint32_t norm, double* squares) {
    constexpr double kHalf = 0x1p31;
    const Sums d;
    const hn::RebindToUnsigned<Sums> wrapping;
    const hn::CappedTag<double, kBlock> wide;
    const hn::Rebind<std::int32_t, decltype(wide)> narrow;
    HWY_ALIGN std::int32_t lessened[kBlock];
    const auto less_half = hn::Set(wrapping, norm - (std::uint32_t{1} << 31));
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const std::int16_t* const anchors = units + i / kBlock * kBlock * 2 * kPairs + 2 * (i % kBlock);
        const auto twice = hn::ShiftLeft<1>(hn::BitCast(wrapping, products(anchors, from)));
        const auto square = hn::Sub(hn::Add(hn::LoadU(wrapping, norms + i), less_half), twice);
        hn::Store(hn::BitCast(d, square), d, lessened);
        for (std::size_t k = 0; k < hn::Lanes(d); k += hn::Lanes(wide)) {
            const auto exact = hn::Add(hn::PromoteTo(wide, hn::LoadU(narrow, lessened + k)), hn::Set(wide, kHalf));
            hn::StoreU(hn::Mul(exact, hn::Set(wide, kSquareOfUnit)), wide, squares + i + k);
        }
    }
}

#endif

}  // namespace tilespmv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilespmv {
HWY_EXPORT(similarities);
HWY_EXPORT(weighted_similarities);
HWY_EXPORT(squared_distances);
HWY_EXPORT(weighted_sum);
HWY_EXPORT(squared_unit_distances);

void similarities(std::span<const double> squared_distances, std::span<double> similarities) {
    HWY_DYNAMIC_DISPATCH(tilespmv::similarities)
    (squared_distances.data(), squared_distances.size(), similarities.data());
}

double weighted_similarities(std::span<const double> squared_distances, std::span<const double> weights) {
    return HWY_DYNAMIC_DISPATCH(weighted_similarities)(squared_distances.data(), weights.data(), weights.size());
}

void squared_distances(std::span<const float> coordinates, std::span<const float> from, std::span<double> squares) {
    HWY_DYNAMIC_DISPATCH(squared_distances)(coordinates.data(), squares.size(), from, squares.data());
}

double weighted_sum(std::span<const float> weights, std::span<const double> similarities) {
    return HWY_DYNAMIC_DISPATCH(weighted_sum)(weights.data(), similarities.data(), weights.size());
}

void squared_unit_distances(const UnitPlaces& places, std::span<const std::int16_t> from, std::uint32_t norm,
                            std::span<double> squares) {
    HWY_DYNAMIC_DISPATCH(squared_unit_distances)
    (places.units.data(), places.norms.data(), squares.size(), from.data(), norm, squares.data());
}

}  // namespace tilespmv
#endif
