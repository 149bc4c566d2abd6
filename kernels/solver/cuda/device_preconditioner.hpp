#pragma once

#include <memory>
#include <optional>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/solver/cuda/vector_launcher.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::solver {

/// w = M r on a GPU, for vectors of T in its memory. Derive from it to give a solver a preconditioner of yours.
template <class T>
class DevicePreconditioner {
public:
    DevicePreconditioner() = default;
    DevicePreconditioner(const DevicePreconditioner&) = delete;
    DevicePreconditioner& operator=(const DevicePreconditioner&) = delete;
    virtual ~DevicePreconditioner() = default;

    /// r, w: a value a row; they do not overlap. `stream`: that of the space, on which it was made. Neither allocates
    /// nor waits, so that it can be captured into a graph. May keep workspace: one at a time per object.
    virtual void apply(const T* r, T* w, cudaStream_t stream) = 0;
    /// M, if it is diagonal: it is then applied by the kernels that compute r.
    [[nodiscard]] virtual std::optional<DiagonalView<T>> diagonal() const { return std::nullopt; }
    /// New values, of parts with the sizes and patterns of those before; returns when they are not needed any more.
    /// False if what `apply` launches is not what it was, so that graphs of it have to be made again.
    virtual bool update_values(const PreconditionerParts<T>& parts, cudaStream_t stream) = 0;
};

/// Uploads parts, which are not needed afterwards, and makes the operators that they name; returns when that is
/// complete. Throws `Error`.
template <class T>
std::unique_ptr<DevicePreconditioner<T>> make_device_preconditioner(const PreconditionerParts<T>& parts,
                                                                    const cuda::DeviceContext& on);

/// A user's: any operator with the size of A, symmetric positive definite. It must outlive it.
template <class T>
class DeviceOperatorPreconditioner final : public DevicePreconditioner<T> {
public:
    explicit DeviceOperatorPreconditioner(const cuda::DeviceOperator<T>& m) : m_(m) {}
    void apply(const T* r, T* w, cudaStream_t stream) override {
        m_.apply(1, cuda::DeviceSpan(r, static_cast<std::size_t>(m_.cols())), 0,
                 cuda::DeviceSpan(w, static_cast<std::size_t>(m_.rows())), stream);
    }
    bool update_values(const PreconditionerParts<T>&, cudaStream_t) override { return true; }

private:
    const cuda::DeviceOperator<T>& m_;
};

}  // namespace tilespmv::solver
