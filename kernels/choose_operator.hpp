#pragma once

#include <optional>
#include <string>

#include "kernels/registry.hpp"
#include "kernels/transpose.hpp"

namespace tilespmv {

/// An operator as a command line chose it, on any backend, for vectors in the memory of the host.
template <Value V>
struct ChosenOperator {
    std::string name;            ///< the specification
    Form made_from = Form::csr;  ///< the form that it asks its source for
    /// As `make_operator`. Throws `Error` (bad options, out of memory, no GPU).
    MakeOfSource<V> make;
    Accumulator accumulator = Accumulator::float64;
};

/// The name of the operator that multiplies a form as it is.
template <Value V>
std::string_view operator_on(Backend backend, Form form);

/// What `auto` takes for products of so many columns at once: the first operator in the table that suits the matrix.
template <Value V>
std::string specification_for_columns(Backend backend, const Source<V>& source, int columns);

/// Throws a usage `Error` for an accumulator that the operators of the backend do not have.
template <Value V>
void require_accumulator(Backend backend, Accumulator accumulator);

/// Throws a usage `Error` for a name or an accumulator that the backend does not have, and for wrong options on the
/// CPU; those of operators for a GPU are refused by `make`.
template <Value V>
ChosenOperator<V> choose_operator(Backend backend, const std::string& specification,
                                  std::optional<Accumulator> accumulator = {});

}  // namespace tilespmv
