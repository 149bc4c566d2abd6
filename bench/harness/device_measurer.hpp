#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/harness/measurer.hpp"
#include "kernels/operator.hpp"
#include "tile/csr.hpp"

namespace tilespmv::bench {

/// Makes the matrix that a command line calls `source`, for a type of values: `tools::load_csr`, for example.
template <Value V>
using LoadMatrix = std::function<CsrMatrix<V>(const std::string& source)>;
struct MatrixLoader {
    LoadMatrix<double> float64;
    LoadMatrix<float> float32;
    LoadMatrix<Half> float16;
    LoadMatrix<Bfloat16> bfloat16;
};

/// Measures on a device, which must outlive it: operators of the registry, but neither `auto` nor the oracle. On
/// a GPU a matrix that is expected is loaded by another thread. Operators that have the choice accumulate in
/// `accumulator`; without one in what `OperatorInfo` says. Throws a usage `Error` for values that the device does not
/// multiply.
std::unique_ptr<Measurer> make_device_measurer(Device& device, const RepeatRule& rule, const MatrixLoader& loader,
                                               std::optional<Accumulator> accumulator = {});

}  // namespace tilespmv::bench
