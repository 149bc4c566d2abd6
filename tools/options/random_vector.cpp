#include "tools/options/random_vector.hpp"

#include <cmath>
#include <random>

namespace tilespmv::tools {

template <Value V>
Buffer<V> random_vector(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    Buffer<V> x(size);
    // The standard fixes the engine but not its distributions.
    for (V& value : x) value = static_cast<V>(std::ldexp(static_cast<double>(bits() >> 11), -52) - 1.0);
    return x;
}

#define TILESPMV_INSTANTIATE(V) template Buffer<V> random_vector<V>(std::size_t, std::uint64_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
