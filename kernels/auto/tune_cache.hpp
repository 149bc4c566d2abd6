#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "selector/auto/matrix_features.hpp"

namespace tilespmv {

/// Measured seconds of a product, by the specification of its operator.
using ProductTimes = std::map<std::string, double>;

/// What times were measured for.
struct TuneKey {
    std::string pattern;      ///< `pattern_hash`
    std::string values;       ///< their type
    std::string accumulator;  ///< type of the sums
    std::string device;
    std::string forms;  ///< `Source::forms`: what operators are made from

    friend bool operator==(const TuneKey&, const TuneKey&) = default;
};

/// A fingerprint of a pattern, 32 hexadecimal digits: of all row pointers and columns up to 16 MiB of them, of a larger
/// matrix of its size and 256 pieces of each, evenly spread, so that it takes no longer.
std::string pattern_hash(const PatternView& a);

/// Times that were measured by `tune=trial`, in a JSON file for people to see, share and delete. It is replaced as a
/// whole; processes that add to it at once wait for each other (`FileLock`), and none loses what another one found.
/// Times of other builds of this project (`build_fingerprint`) are kept and not used. A file that cannot be read or
/// written costs a warning on stderr and is otherwise as if it were empty; a damaged one is left alone.
class TuneCache {
public:
    /// An empty name: `default_file`.
    explicit TuneCache(std::filesystem::path file) : file_(file.empty() ? default_file() : std::move(file)) {}

    /// $XDG_CACHE_HOME/tilespmv/tuning.json, or ~/.cache/tilespmv/tuning.json; empty, so that nothing is kept, where
    /// neither is known.
    static std::filesystem::path default_file();

    /// Empty if nothing is known.
    [[nodiscard]] ProductTimes find(const TuneKey& key) const;
    /// Adds to what is known, replacing times of the same operators.
    void store(const TuneKey& key, const ProductTimes& times) const;

private:
    std::filesystem::path file_;
};

}  // namespace tilespmv
