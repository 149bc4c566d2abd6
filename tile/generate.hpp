#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tile/csr.hpp"

namespace tilespmv {

/// One parameter of a generator, a number with a default.
struct GeneratorParameter {
    std::string_view name;
    double default_value = 0;
    std::string_view meaning;
};

/// One kind of synthetic matrix.
struct GeneratorInfo {
    std::string_view name;
    std::string_view summary;
    std::string_view resembles;  ///< SuiteSparse matrices of the same kind
    std::span<const GeneratorParameter> parameters;
};

/// Every kind there is.
std::span<const GeneratorInfo> generators();

/// Generates `kind[:name=value[,name=value]...]`, such as `stencil27:n=96` or `rmat:scale=18,seed=7`. Every kind takes
/// `seed`. The same specification gives the same bits on every machine and with any number of threads.
/// Throws a usage `Error` for an unknown kind or parameter or a value out of range.
template <Value V>
CsrMatrix<V> generate(std::string_view specification);

}  // namespace tilespmv
