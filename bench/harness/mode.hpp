#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tilespmv::bench {

/// How products follow each other, and what stands between them, while they are timed.
enum class Mode {
    warm,   ///< back to back, always the same x and y
    cold,   ///< single ones, after the caches were flushed
    graph,  ///< dependent ones, captured into a CUDA graph that is replayed; as in axpy if the matrix is not square
    chain,  ///< the same sequence as one launch after the other
    axpy,   ///< each after a kernel that writes x, as in a solver
};

inline constexpr std::array kModes{Mode::warm, Mode::cold, Mode::graph, Mode::chain, Mode::axpy};

/// Their names on the command line and in result files.
inline constexpr std::array<std::string_view, kModes.size()> kModeNames{"warm", "cold", "graph", "chain", "axpy"};
constexpr std::string_view mode_name(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }
/// The mode of a name. Throws a usage `Error` that lists the names there are.
Mode find_mode(std::string_view name);

}  // namespace tilespmv::bench
