#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace tilespmv {

/// Which fifth of the measured matrices one is in, when models are held out. Those of one name share it: with other
/// values it is no matrix that a model has not seen.
class Folds {
public:
    static constexpr std::size_t kCount = 5;

    std::size_t of(const std::string& name) { return known_.try_emplace(name, known_.size()).first->second % kCount; }

private:
    std::map<std::string, std::size_t> known_;
};

}  // namespace tilespmv
