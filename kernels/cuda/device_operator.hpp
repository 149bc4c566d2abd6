#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_csr_view.hpp"
#include "kernels/cuda/device_span.hpp"
#include "kernels/cuda/scalar.hpp"
#include "kernels/cuda/workspace.hpp"
#include "kernels/executed.hpp"
#include "kernels/registry.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {

/// A product that an operator is to do; sizes and device are checked.
template <class V>
struct Product {
    const V* x = nullptr;
    V* y = nullptr;
    double alpha = 1;  ///< not 0
    double beta = 0;
    std::byte* workspace = nullptr;  ///< of the operator's `layout`
    std::uint64_t cache_policy = 0;  ///< of loads of the matrix, see `make_cache_policy`
};

/// y = alpha * A * x + beta * y with everything in the memory of one GPU, on a stream of it. Owns its matrix, unless
/// that is a `DeviceCsrView` that it reads in place, and a workspace. The stream it was made on must outlive it;
/// products on other streams must be complete when it is destroyed.
///  - `apply` neither allocates nor synchronises, so it can be captured into a graph.
///  - beta = 0 never reads y. alpha = 0 never reads A or x if the host knows it, and takes nothing from them if it lies
///    in device memory. NaN and Inf propagate as in a CSR product unless it `pads_with_zeros`.
///  - With a scalar in device memory, A * x goes to the workspace first, in the type of the values, and a kernel of its
///    own combines it with y.
///  - Two calls with the same arguments give the same bits if it `is_reproducible`.
template <class V>
class DeviceOperator {
public:
    /// On the current GPU.
    DeviceOperator();
    DeviceOperator(const DeviceOperator&) = delete;
    DeviceOperator& operator=(const DeviceOperator&) = delete;
    virtual ~DeviceOperator() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    /// What it was made by, `name[:option=value,...]`, of `auto` that of the operator it took; the name, unless set.
    [[nodiscard]] std::string_view specification() const { return specification_.empty() ? name() : specification_; }
    void set_specification(std::string_view specification) { specification_ = specification; }
    [[nodiscard]] virtual index_t rows() const = 0;
    [[nodiscard]] virtual index_t cols() const = 0;
    [[nodiscard]] virtual offset_t nnz() const = 0;
    /// CUDA's number of the GPU that holds it.
    [[nodiscard]] int device() const { return device_; }
    /// Bytes of the matrix that one product reads, x and y apart.
    [[nodiscard]] virtual std::size_t matrix_bytes() const = 0;
    /// What a product multiplies, in which representations and formats; the contract is that of `Operator::executed`.
    [[nodiscard]] virtual std::vector<ExecutedPart> executed() const = 0;
    /// Device memory that the object holds or, of a matrix that is multiplied where it lies, reads: the matrix and a
    /// workspace.
    [[nodiscard]] virtual std::size_t device_bytes() const = 0;
    /// Whether two calls with the same arguments give the same bits, as they do in all operators of our own.
    [[nodiscard]] virtual bool is_reproducible() const { return true; }
    /// Whether zeros that the matrix does not have meet x, so that Inf and NaN in it reach rows that they should not.
    [[nodiscard]] virtual bool pads_with_zeros() const { return false; }
    /// Whether it can work in a workspace that is given to it, as all operators of our own do.
    [[nodiscard]] virtual bool takes_workspace() const { return true; }
    /// Of one workspace.
    [[nodiscard]] std::size_t workspace_bytes() const { return layout_.bytes(); }
    /// A workspace for products that run beside those in the operator's own, so that one operator serves several
    /// streams: one workspace each. It is complete when `on.stream` has passed the call.
    [[nodiscard]] Workspace make_workspace(const DeviceContext& on) const { return Workspace(this, layout_, on); }

    /// x: cols values; y: rows values; both in the memory of `device()`; they must not overlap. Returns before the
    /// product is complete. It works in the operator's own workspace: one product at a time. Throws `Error` if a size
    /// differs, another GPU is current, or it cannot be launched.
    void apply(const Scalar& alpha, DeviceSpan<const V> x, const Scalar& beta, DeviceSpan<V> y,
               cudaStream_t stream) const;
    /// The same in a workspace that the operator has made, one product at a time in each. Throws `Error` for one of
    /// another operator, and if the operator does not take one.
    void apply(const Scalar& alpha, DeviceSpan<const V> x, const Scalar& beta, DeviceSpan<V> y, cudaStream_t stream,
               Workspace& workspace) const;
    /// Replaces the values of A by those at `csr_values` in device memory: nnz of them, in the order of the CSR matrix
    /// with explicit zeros kept; the pattern stays. They are read before later work on the stream. Neither allocates
    /// nor synchronises, so it can be captured into a graph. Throws `Error` if the operator cannot.
    void update_values(const V* csr_values, cudaStream_t stream);

    /// Makes what needs the complete object: the cache policy for its size, and the workspace that products work in
    /// unless they are given one. Called once; may wait for the stream.
    void make_own_workspace(const DeviceContext& on);

protected:
    /// What `Product::workspace` consists of: constructors add to it.
    [[nodiscard]] WorkspaceLayout& layout() { return layout_; }
    /// y = alpha * A * x + beta * y.
    virtual void multiply(const Product<V>& product, cudaStream_t stream) const = 0;
    /// The work of `update_values`.
    virtual void replace_values(const V* csr_values, cudaStream_t stream) {
        static_cast<void>(csr_values);
        static_cast<void>(stream);
        throw Error("operator " + std::string(name()) + " takes no new values; make it again from the new matrix");
    }

private:
    void check_product(std::size_t x, std::size_t y) const;
    void run(const Scalar& alpha, const V* x, const Scalar& beta, V* y, cudaStream_t stream,
             std::byte* workspace) const;

    int device_;
    std::string specification_;
    std::uint64_t cache_policy_ = 0;
    WorkspaceLayout layout_;
    WorkspacePart<V> sums_;  // A * x, if a scalar lies in device memory
    std::unique_ptr<Workspace> own_;
};

/// Makes the operator of a specification `name[:option=value,...]` on the current GPU, as `MakeOnDevice` says; throws
/// as that and `find_operator` do. A `DeviceCsrView` among the forms must outlive an operator that
/// `reads_csr_in_place`, and its values may change; for others it is copied to the host and prepared there.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const MatrixForms<V>& forms,
                                                        Accumulator accumulator, const DeviceContext& on);

/// That which `auto` takes for the matrix.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(const MatrixForms<V>& forms, const DeviceContext& on) {
    return make_device_operator<V>("auto", forms, default_accumulator<V>(), on);
}

/// An entry of the registry for the GPU.
template <class V>
constexpr OperatorInfo<V> on_device(OperatorEntry entry, MakeOnDevice<V> make,
                                    NewValues new_values = NewValues::always) {
    entry.backend = Backend::cuda;
    entry.new_values = new_values;
    return {entry, nullptr, make};
}

}  // namespace tilespmv::cuda
