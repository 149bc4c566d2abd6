#pragma once

#include <span>
#include <string_view>

#include "tile/csr.hpp"

namespace tilespmv {

/// One parameter of a generator: a number with a default, in [min, max].
struct GeneratorParameter {
    std::string_view name;  ///< before the "="
    double default_value = 0;
    double min = 0;
    double max = 0;
    bool integer = true;       ///< only whole numbers
    std::string_view meaning;  ///< a clause for lists
};

/// One kind of synthetic matrix.
struct GeneratorInfo {
    std::string_view name;                           ///< before the ":"
    std::string_view summary;                        ///< what it is, and how many rows and nonzeros the parameters give
    std::string_view resembles;                      ///< SuiteSparse matrices of the same kind
    std::span<const GeneratorParameter> parameters;  ///< in the order in which lists show them
};

/// Every kind there is. The defaults give about a million nonzeros.
std::span<const GeneratorInfo> generators();

/// Generates `kind[:name=value[,name=value]...]`, such as `stencil27:n=96` or `rmat:scale=18,seed=7`. Every kind takes
/// `seed`. The same specification gives the same bits on every machine and with any number of threads; the values of a
/// narrower matrix are those of the double matrix, rounded.
/// Throws a usage `Error` for an unknown kind or parameter, a parameter given twice, a value out of range and more than
/// 2^31 - 1 rows or columns, and an `Error` if the memory does not suffice or a value is out of the range of V.
template <Value V>
CsrMatrix<V> generate(std::string_view specification);

}  // namespace tilespmv
