#include "kernels/operator.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {

template <Value V>
void check_sizes(const Operator<V>& a, std::span<const V> x, std::span<const V> y) {
    const auto check = [&](std::string_view vector, std::size_t size, std::string_view what, index_t expected) {
        if (size == static_cast<std::size_t>(expected)) return;
        throw Error(fmt::format("{}: {} has {} values, expected {}, the {} of the matrix", a.name(), vector, size,
                                expected, what));
    };
    check("x", x.size(), "columns", a.cols());
    check("y", y.size(), "rows", a.rows());
}

template <Value V>
void Operator<V>::update_values(std::span<const V>) {
    throw Error(fmt::format(
        "operator {} takes no new values; change those of the matrix where it lies, or make it again", name()));
}

#define TILESPMV_INSTANTIATE(V)                                                            \
    template void check_sizes(const Operator<V>&, std::span<const V>, std::span<const V>); \
    template void Operator<V>::update_values(std::span<const V>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
