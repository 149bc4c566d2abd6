#include "kernels/cpu/host_operator.hpp"

#include <fmt/format.h>

#include "kernels/block_copy.hpp"
#include "kernels/cpu/write_rows.hpp"
#include "tile/error.hpp"

namespace tilespmv::cpu {
namespace {

template <CpuValue V>
void require_host(const Operator<V>& a, Memory memory, std::string_view what) {
    if (memory == Memory::host) return;
    throw Error(fmt::format("{} runs on the CPU: {} must be in the memory of the host", a.name(), what));
}

template <CpuValue V>
void require_host(const Operator<V>& a, const Scalar& alpha, const Block<const V>& x, const Scalar& beta) {
    require_host(a, x.memory, "x and y");
    if (alpha.where() != nullptr || beta.where() != nullptr) require_host(a, Memory::device, "alpha and beta");
}

}  // namespace

template <CpuValue V>
void HostOperator<V>::multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta,
                                      const Block<V>& y, const Run& /*run*/) const {
    require_host(*this, alpha, x, beta);
    const auto a = static_cast<V>(alpha.value());
    const auto b = static_cast<V>(beta.value());
    if (a == V{0}) return scale<V>(b, {y.data, y.rows});
    multiply(a, {x.data, x.rows}, b, {y.data, y.rows});
}

template <CpuValue V>
void HostOperator<V>::multiply_columns(const Scalar& alpha, const Block<const V>& x, const Scalar& beta,
                                       const Block<V>& y, const Run& /*run*/) const {
    require_host(*this, alpha, x, beta);
    const auto a = static_cast<V>(alpha.value());
    const auto b = static_cast<V>(beta.value());
    if (a == V{0}) return scale_block<V>(b, y);
    multiply_block(a, x, b, y);
}

template <CpuValue V>
void HostOperator<V>::multiply_block(V alpha, const Block<const V>& x, V beta, const Block<V>& y) const {
    if (!x.has_columns()) {
        const OwnedBlock<V> columns(x.rows, x.cols, Layout::column_major);
        copy_block(x, columns.get());
        return multiply_block(alpha, columns.get(), beta, y);
    }
    if (!y.has_columns()) {
        const OwnedBlock<V> columns(y.rows, y.cols, Layout::column_major);
        if (beta != V{0}) copy_block<V>(y, columns.get());
        multiply_block(alpha, x, beta, columns.get());
        return copy_block<V>(columns.get(), y);
    }
    for (int c = 0; c < x.cols; ++c) {
        const Block<const V> x_c = x.column(c);
        const Block<V> y_c = y.column(c);
        multiply(alpha, {x_c.data, x_c.rows}, beta, {y_c.data, y_c.rows});
    }
}

template <CpuValue V>
bool HostOperator<V>::replace(const Block<const V>& values, const Run& /*run*/) {
    require_host(*this, values.memory, "new values");
    replace_values({values.data, values.rows});
    return true;
}

template <CpuValue V>
void HostOperator<V>::replace_values(std::span<const V>) {
    throw Error(fmt::format(kMakeAgain, this->name()));
}

template class HostOperator<double>;
template class HostOperator<float>;

}  // namespace tilespmv::cpu
