#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/block.hpp"
#include "kernels/choose_operator.hpp"
#include "tile/csr.hpp"
#include "tools/options/cli_forward.hpp"

namespace tilespmv::tools {

/// What a matrix is multiplied by beyond one vector, and whether its transpose is.
struct VectorsOption {
    int columns = 0;             ///< 0: not given
    std::string layout = "col";  ///< "col" or "row"
    bool is_transposed = false;

    [[nodiscard]] Layout layout_in_memory() const { return layout == "row" ? Layout::row_major : Layout::column_major; }
    [[nodiscard]] Run run() const;
    /// ", 8 columns by rows, transposed"; empty for one product of A.
    [[nodiscard]] std::string text(int columns_found) const;
};

inline constexpr int kMostColumns = 1 << 16;

/// --columns K, --layout row|col and --transpose.
void add_vectors(CLI::App& command, VectorsOption& vectors);
/// The last two.
void add_layout(CLI::App& command, std::string& layout);
void add_transpose(CLI::App& command, bool& is_transposed);

/// `size` values between -1 and 1, the same on every machine for the same seed.
template <Value V>
Buffer<V> random_vector(std::size_t size, std::uint64_t seed);

}  // namespace tilespmv::tools
