#include "kernels/cuda/host_vector_operator.hpp"

#include <fmt/format.h>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/stream.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

template <Value V>
class HostVectorOperator final : public Operator<V> {
public:
    HostVectorOperator(const std::string& specification, const MatrixForms<V>& forms, Accumulator accumulator)
        : operator_(make_device_operator<V>(specification, forms, accumulator, stream_.get())),
          x_(static_cast<std::size_t>(operator_->cols()), stream_.get()),
          y_(static_cast<std::size_t>(operator_->rows()), stream_.get()) {}

    [[nodiscard]] std::string_view name() const override { return operator_->name(); }
    [[nodiscard]] index_t rows() const override { return operator_->rows(); }
    [[nodiscard]] index_t cols() const override { return operator_->cols(); }
    [[nodiscard]] offset_t nnz() const override { return operator_->nnz(); }
    [[nodiscard]] std::size_t matrix_bytes() const override { return operator_->matrix_bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return operator_->executed(); }

    // y goes up even if beta is 0: what the caller poisoned it with shows an operator that reads it or leaves rows out.
    void apply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        check_sizes<V>(*this, x, y);
        x_.upload(x, stream_.get());
        y_.upload(y, stream_.get());
        operator_->apply(static_cast<double>(alpha), x_.span(), static_cast<double>(beta), y_.span(), stream_.get());
        y_.download(y, stream_.get());
        stream_.synchronize();
    }

    void update_values(std::span<const V> values) override {
        if (values.size() != static_cast<std::size_t>(nnz())) {
            throw Error(fmt::format("{}: {} new values for {} nonzeros", name(), values.size(), nnz()));
        }
        DeviceBuffer<V> on_device(values.size(), stream_.get());
        on_device.upload(values, stream_.get());
        operator_->update_values(on_device.data(), stream_.get());
        stream_.synchronize();
    }

private:
    Stream stream_;
    std::unique_ptr<DeviceOperator<V>> operator_;
    mutable DeviceBuffer<V> x_;  // workspace of one product at a time
    mutable DeviceBuffer<V> y_;
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> make_host_vector_operator(const std::string& specification, const MatrixForms<V>& forms,
                                                       Accumulator accumulator) {
    static_cast<void>(require_device());
    return std::make_unique<HostVectorOperator<V>>(specification, forms, accumulator);
}

#define TILESPMV_INSTANTIATE(V)                                                                                \
    template std::unique_ptr<Operator<V>> make_host_vector_operator(const std::string&, const MatrixForms<V>&, \
                                                                    Accumulator);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
