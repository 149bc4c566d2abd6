#pragma once

#include <functional>
#include <optional>

#include "bench/harness/measurer.hpp"
#include "kernels/accumulator.hpp"
#include "tile/csr.hpp"

namespace tilespmv::bench {

/// Makes the matrix that a command line calls `source`, for a type of values: `tools::load_csr`, for example.
struct MatrixLoader {
    std::function<CsrMatrix<double>(const std::string& source)> float64;
    std::function<CsrMatrix<float>(const std::string& source)> float32;
};

/// Measures on a device, which must outlive it: operators of the registry in float64 and float32, but neither `auto`
/// nor the oracle, and on a GPU the kernels over vectors of the solver. On a GPU a matrix that is expected is loaded by
/// another thread. Operators that have the choice accumulate in `accumulator`; without one in what `OperatorInfo` says.
/// Throws a usage `Error` for other types of values.
std::unique_ptr<Measurer> make_device_measurer(Device& device, const RepeatRule& rule, const MatrixLoader& loader,
                                               std::optional<Accumulator> accumulator = {});

}  // namespace tilespmv::bench
