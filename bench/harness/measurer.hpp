#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/repeats.hpp"
#include "selector/auto/matrix_features.hpp"
#include "selector/models/probe.hpp"

/// What profiles are measured by, without a word about the device: another one, or a test, is another `Measurer`.
namespace tilespmv::bench {

/// A matrix in host memory, with operators made of it one after the other.
class MatrixTimer {
public:
    virtual ~MatrixTimer() = default;
    [[nodiscard]] virtual const MatrixFeatures& features() const = 0;
    /// Seconds of a product among others like it. Throws `Error` if the operator cannot be made of this matrix, a
    /// usage `Error` if of none, as there is no such operator or option.
    virtual double seconds(const std::string& specification) = 0;
    /// Seconds from CSR in host memory until the operator can run, with all threads: waits until no other matrix is
    /// being made. Throws as `seconds`.
    virtual double preparation_seconds(const std::string& specification) = 0;
};

/// `values`: a type, "float64".
class Measurer {
public:
    virtual ~Measurer() = default;
    virtual Probe probe() = 0;
    /// Of what products of such values accumulate in. Throws a usage `Error` if that is narrower than the values.
    [[nodiscard]] virtual std::size_t sum_bytes(std::string_view values) const = 0;
    /// Specifications of the operators to measure.
    [[nodiscard]] virtual std::vector<std::string> operators(std::string_view values) const = 0;
    /// `source`: what a command line calls a matrix. Throws `Error`.
    virtual std::unique_ptr<MatrixTimer> matrix(std::string_view values, const std::string& source) = 0;
    /// That matrix is the next but one: it may be made while the next is measured.
    virtual void expect(std::string_view values, const std::string& source) = 0;
};

/// All attributes and measured figures of the device.
Probe probe_of(Device& device);

}  // namespace tilespmv::bench
