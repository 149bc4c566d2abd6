#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/bindings/matrix.hpp"

namespace tilespmv::bindings {

/// A key for a matrix in the graphs of torch and JAX, which hold constants and no objects. Keys of other processes are
/// unknown here.
std::string share(const std::shared_ptr<Matrix>& matrix);
/// The matrix of a key. Throws `Error` if there is none (any more).
std::shared_ptr<Matrix> shared_matrix(std::string_view key);

}  // namespace tilespmv::bindings
