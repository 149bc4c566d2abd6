#pragma once

#include <string_view>

#include "selector/models/modelled_operators.hpp"

namespace tilespmv::test {

/// What an operator of exactly this name and options says of its launch; 0 of any other.
inline double of_launch(double (*Candidate::*function)(const MatrixFeatures& f), std::string_view name,
                        std::string_view options, const MatrixFeatures& f) {
    for (const Candidate& candidate : modelled_operators(true)) {
        if (candidate.name != name || candidate.options != options) continue;
        return candidate.*function == nullptr ? 0 : (candidate.*function)(f);
    }
    return 0;
}
inline double launch_waves(std::string_view name, std::string_view options, const MatrixFeatures& f) {
    return of_launch(&Candidate::waves, name, options, f);
}
inline double launch_choice(std::string_view name, std::string_view options, const MatrixFeatures& f) {
    return of_launch(&Candidate::choice, name, options, f);
}

}  // namespace tilespmv::test
