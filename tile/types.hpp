#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

#if defined(__CUDACC__)
#define TILESPMV_HD __host__ __device__
#else
#define TILESPMV_HD
#endif

namespace tilespmv {

/// A binary floating-point number of 16 bits as IEEE 754 has them: sign, kExponentBits of exponent, the rest fraction,
/// with subnormal numbers, Inf and NaN. A storage type: it converts and compares but does not compute. Conversions to
/// float and double are exact, those from them round once, to nearest, ties to even; NaN becomes quiet and keeps its
/// sign.
template <int kExponentBits>
class Float16 {
public:
    static constexpr int kFractionBits = 15 - kExponentBits;  ///< stored ones; the leading 1 is implied
    static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;

    Float16() = default;  // uninitialised, as a float is, so that arrays of it can stand in shared memory
    explicit constexpr TILESPMV_HD Float16(double value) : bits_(round(value)) {}
    template <std::integral T>
    explicit constexpr TILESPMV_HD Float16(T value) : Float16(static_cast<double>(value)) {}
    explicit TILESPMV_HD Float16(float value) : bits_(round(value)) {}

    /// The number whose 16 bits these are; `bits` gives them back.
    static constexpr TILESPMV_HD Float16 from_bits(std::uint16_t bits) {
        Float16 number(0);
        number.bits_ = bits;
        return number;
    }
    [[nodiscard]] constexpr TILESPMV_HD std::uint16_t bits() const { return bits_; }

    explicit TILESPMV_HD operator float() const {
#if defined(__CUDA_ARCH__)
        if constexpr (kExponentBits == 8) return __uint_as_float(std::uint32_t{bits_} << 16);
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits_));
        return value;
#else
        return widen();
#endif
    }
    explicit TILESPMV_HD operator double() const { return static_cast<double>(static_cast<float>(*this)); }

    /// As of floats: -0 equals 0, NaN nothing.
    friend TILESPMV_HD bool operator==(Float16 a, Float16 b) { return static_cast<float>(a) == static_cast<float>(b); }
    TILESPMV_HD Float16 operator-() const { return from_bits(static_cast<std::uint16_t>(bits_ ^ 0x8000u)); }

private:
    static constexpr std::uint32_t kInfinity = 0x8000u - (1u << kFractionBits);
    static constexpr std::uint32_t kQuietNaN = kInfinity | 1u << (kFractionBits - 1);

    static TILESPMV_HD std::uint16_t round(float value) {
#if defined(__CUDA_ARCH__)
        std::uint16_t bits;
        if constexpr (kExponentBits == 5) {
            asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        } else {
#if __CUDA_ARCH__ >= 800
            asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
            bits = round(static_cast<double>(value));
#endif
        }
        return bits;
#else
        return round(static_cast<double>(value));
#endif
    }

    static constexpr TILESPMV_HD std::uint16_t round(double value) {
        const auto wide = std::bit_cast<std::uint64_t>(value);
        const auto sign = static_cast<std::uint32_t>(wide >> 48) & 0x8000u;
        const int exponent = static_cast<int>(wide >> 52 & 0x7ffu) - 1023;
        const std::uint64_t fraction = wide & ((std::uint64_t{1} << 52) - 1);
        std::uint32_t magnitude = kInfinity;
        if (exponent == 1024 && fraction != 0) {
            magnitude = kQuietNaN;
        } else if (exponent <= kBias) {
            magnitude = round(fraction | std::uint64_t{1} << 52, exponent);
        }
        return static_cast<std::uint16_t>(sign | magnitude);
    }

    /// Bits of significand * 2^(exponent - 52), 2^52 <= significand < 2^53. A carry out of the fraction goes into the
    /// exponent, and from the largest one to Inf.
    static constexpr TILESPMV_HD std::uint32_t round(std::uint64_t significand, int exponent) {
        constexpr int smallest_normal = 1 - kBias;
        const int below = exponent < smallest_normal ? smallest_normal - exponent : 0;
        const int dropped = 52 - kFractionBits + below;
        if (dropped > 53) return 0;
        const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
        const std::uint64_t rest = significand & (2 * half - 1);
        auto kept = static_cast<std::uint32_t>(significand >> dropped);
        if (rest > half || (rest == half && kept % 2 == 1)) ++kept;
        if (below > 0) return kept;
        return kept + (static_cast<std::uint32_t>(exponent - smallest_normal) << kFractionBits);
    }

    /// The fraction in its place in a float, whose exponent is then wrong by the difference of the biases.
    [[nodiscard]] float widen() const {
        const std::uint32_t sign = (bits_ & 0x8000u) << 16;
        const std::uint32_t magnitude = bits_ & 0x7fffu;
        constexpr std::uint32_t float_infinity = 0x7f800000u;
        constexpr std::uint32_t float_quiet = 0x00400000u;
        if (magnitude >= kInfinity) {
            const std::uint32_t rest = (magnitude - kInfinity) << (23 - kFractionBits);
            return std::bit_cast<float>(sign | float_infinity | rest | (rest != 0 ? float_quiet : 0u));
        }
        constexpr float scale = std::bit_cast<float>(static_cast<std::uint32_t>(2 * 127 - kBias) << 23);
        const auto wrong = std::bit_cast<float>(sign | magnitude << (23 - kFractionBits));
        return kBias == 127 ? wrong : wrong * scale;
    }

    std::uint16_t bits_;
};

using Half = Float16<5>;      ///< binary16: 11 bits of precision, up to 65,504, in steps of 2^-24 near 0
using Bfloat16 = Float16<8>;  ///< the upper half of a float: 8 bits of precision, the range of float

}  // namespace tilespmv

/// The members of numeric_limits that this project uses, with the meanings of the standard.
template <int kExponentBits>
class std::numeric_limits<tilespmv::Float16<kExponentBits>> {
    using T = tilespmv::Float16<kExponentBits>;

public:
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_iec559 = true;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr int digits = T::kFractionBits + 1;

    static constexpr T epsilon() { return T(1.0 / (1 << T::kFractionBits)); }
    static constexpr T denorm_min() { return T::from_bits(1); }
    static constexpr T min() { return T::from_bits(1u << T::kFractionBits); }
    static constexpr T max() { return T::from_bits(infinity().bits() - 1); }
    static constexpr T infinity() { return T(std::numeric_limits<double>::infinity()); }
    static constexpr T quiet_NaN() { return T(std::numeric_limits<double>::quiet_NaN()); }
};

namespace tilespmv {

using index_t = std::int32_t;   ///< a row or a column; dimensions reach 2^31 - 1
using offset_t = std::int64_t;  ///< a position among nonzeros, values or bytes

/// Edge of a tile. Local rows and columns fit in 4 bits.
inline constexpr int kTileSize = 16;

/// ceil(a / b) for a >= 0 and b > 0: number of tiles (or other groups of `b`) that cover `a` elements.
constexpr std::int64_t div_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Calls X(V) for every type of values that a matrix may hold: the one list of them, from which explicit
/// instantiations and the names below derive.
#define TILESPMV_FOR_EACH_VALUE(X) X(double) X(float) X(Half) X(Bfloat16)

/// Types a matrix may hold. Those of 16 bits only store; sums are accumulated in double or float.
template <class V>
concept Value = std::same_as<V, double> || std::same_as<V, float> || std::same_as<V, Half> || std::same_as<V, Bfloat16>;

/// Types of values that a CPU multiplies.
template <class V>
concept CpuValue = std::floating_point<V> && Value<V>;

/// Name of a value type in files and on the command line.
template <Value V>
constexpr std::string_view value_name() {
    if constexpr (std::same_as<V, double>) return "float64";
    if constexpr (std::same_as<V, float>) return "float32";
    if constexpr (std::same_as<V, Half>) return "float16";
    if constexpr (std::same_as<V, Bfloat16>) return "bfloat16";
    // A type of the list without a name here is an error of the compiler: nothing is returned.
}

#define TILESPMV_NAME(V) value_name<V>(),
inline constexpr std::array kValueNames{TILESPMV_FOR_EACH_VALUE(TILESPMV_NAME)};
#undef TILESPMV_NAME

/// The same number in a type that computes and prints: double or float as they are, 16 bits as float.
template <std::floating_point V>
constexpr V widened(V value) {
    return value;
}
template <int kExponentBits>
float widened(Float16<kExponentBits> value) {
    return static_cast<float>(value);
}

}  // namespace tilespmv
