#pragma once

#include <string>

#include "kernels/cpu/host_operator.hpp"
#include "kernels/multi_gpu/communicator.hpp"
#include "kernels/multi_gpu/halo_plan.hpp"
#include "kernels/solver/system_space.hpp"

namespace tilespmv::multi_gpu {

/// One rank's rows of a product over all ranks, on the CPU: from its own entries of x to its own entries of y, with
/// those of the others that it needs through the communicator. All ranks apply it together, with the same alpha. The
/// interior is multiplied by any operator, the boundary added to it.
template <CpuValue V>
class RankOperator final : public cpu::HostOperator<V> {
public:
    /// `operator_name`: `name[:option=value,...]`; for one made from tiles the interior is converted. All three outlive
    /// the object. Throws `Error` as `make_operator` does.
    RankOperator(const RankMatrix<V>& matrix, const HaloPlan& plan, const std::string& operator_name,
                 Communicator& communicator);

    // The steps of a product.
    /// Sends own entries and receives the halo; all ranks together.
    void exchange(std::span<const V> x) const;
    [[nodiscard]] const Operator<V>& interior() const { return interior_.get(); }
    /// y += alpha * boundary * halo
    void add_boundary(V alpha, std::span<V> y) const;

    /// The values of the matrix are new. Allocates nothing if the operator of the interior takes them.
    void follow_values();

private:
    void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override;
    [[nodiscard]] std::vector<ExecutedPart> count_executed() const;
    [[nodiscard]] std::size_t boundary_bytes() const;

    const RankMatrix<V>* matrix_;
    const HaloPlan* plan_;
    Communicator* communicator_;
    solver::SystemOperator<V> interior_;
    mutable Buffer<V> sent_;
    mutable Buffer<V> halo_;
};

}  // namespace tilespmv::multi_gpu
