#include "kernels/operator.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "kernels/cpu/operators.hpp"
#include "tile/error.hpp"

namespace tilespmv {

template <Value V>
std::span<const OperatorInfo<V>> operators() {
    if constexpr (CpuValue<V>) {
        static constexpr std::array<OperatorInfo<V>, 3> list{{
            {"reference", "one thread, sums in twice the precision; what the others are checked against", false,
             cpu::make_reference<V>},
            {"csr-omp", "CSR rows, vectorised, all threads", false, cpu::make_csr_omp<V>},
            {"tile-omp", "tiles vectorised per format, the deferred part as CSR rows, all threads", true,
             cpu::make_tile_omp<V>},
        }};
        return list;
    } else {
        return {};
    }
}

template <Value V>
const OperatorInfo<V>& find_operator(std::string_view name) {
    std::string names;
    for (const auto& info : operators<V>()) {
        if (info.name == name) return info;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
    }
    throw Error(fmt::format("unknown operator '{}'; there are {}", name, names), ExitCode::usage);
}

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

#define TILESPMV_INSTANTIATE(V)                                      \
    template std::span<const OperatorInfo<V>> operators();           \
    template const OperatorInfo<V>& find_operator(std::string_view); \
    template void check_sizes(const Operator<V>&, std::span<const V>, std::span<const V>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
