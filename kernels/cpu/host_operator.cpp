#include "kernels/cpu/host_operator.hpp"

#include <fmt/format.h>

#include "kernels/cpu/write_rows.hpp"
#include "tile/error.hpp"

namespace tilespmv::cpu {
namespace {

template <CpuValue V>
void require_host(const Operator<V>& a, Memory memory, std::string_view what) {
    if (memory == Memory::host) return;
    throw Error(fmt::format("{} runs on the CPU: {} must be in the memory of the host", a.name(), what));
}

}  // namespace

template <CpuValue V>
void HostOperator<V>::multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta,
                                      const Block<V>& y, const Run& run) const {
    static_cast<void>(run);
    require_host(*this, x.memory, "x and y");
    if (alpha.where() != nullptr || beta.where() != nullptr) require_host(*this, Memory::device, "alpha and beta");
    const auto a = static_cast<V>(alpha.value());
    const auto b = static_cast<V>(beta.value());
    if (a == V{0}) return scale<V>(b, {y.data, y.rows});
    multiply(a, {x.data, x.rows}, b, {y.data, y.rows});
}

template <CpuValue V>
void HostOperator<V>::replace(const Block<const V>& values, const Run& run) {
    static_cast<void>(run);
    require_host(*this, values.memory, "new values");
    replace_values({values.data, values.rows});
}

template class HostOperator<double>;
template class HostOperator<float>;

}  // namespace tilespmv::cpu
