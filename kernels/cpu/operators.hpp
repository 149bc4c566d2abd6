#pragma once

#include <memory>

#include "kernels/operator.hpp"

namespace tilespmv::cpu {

template <Value V>
std::unique_ptr<Operator<V>> make_reference(const OperatorSource<V>& source);
template <Value V>
std::unique_ptr<Operator<V>> make_csr_omp(const OperatorSource<V>& source);
template <Value V>
std::unique_ptr<Operator<V>> make_tile_omp(const OperatorSource<V>& source);

}  // namespace tilespmv::cpu
