#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/registry.hpp"

namespace tilespmv {

/// An operator as a command line chose it, on any backend, for vectors in the memory of the host.
template <Value V>
struct ChosenOperator {
    std::string name;            ///< the specification
    Form made_from = Form::csr;  ///< the form that `make` needs
    /// The forms must outlive the operator. Throws `Error` (bad options, out of memory, no GPU).
    std::function<std::unique_ptr<Operator<V>>(const MatrixForms<V>&)> make;
    Accumulator accumulator = Accumulator::float64;
};

/// Throws a usage `Error` for a name or an accumulator that the backend does not have.
template <Value V>
ChosenOperator<V> choose_operator(Backend backend, const std::string& specification,
                                  std::optional<Accumulator> accumulator = {});

}  // namespace tilespmv
