#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/generate/generator.hpp"

namespace tilespmv::synthetic {

Parameters::Parameters(const GeneratorInfo& kind, Options options) : kind_(&kind), options_(std::move(options)) {
    for (const auto& p : kind.parameters) {
        values_[p.name] = p.integer ? static_cast<double>(options_.whole(
                                          p.name, static_cast<std::int64_t>(p.default_value),
                                          static_cast<std::int64_t>(p.min), static_cast<std::int64_t>(p.max)))
                                    : options_.number(p.name, p.default_value, p.min, p.max);
    }
    options_.finish();
}

void Parameters::require_at_most(std::string_view name, double max) const {
    if (real(name) <= max) return;
    const auto parameter = std::ranges::find(kind_->parameters, name, &GeneratorParameter::name);
    fail(fmt::format("{}={}, expected a {}number from {} to {}", name, real(name), parameter->integer ? "whole " : "",
                     parameter->min, max));
}

index_t Parameters::dimension(std::initializer_list<std::int64_t> factors) const {
    std::int64_t product = 1;
    for (const auto factor : factors) {
        product *= factor;
        if (product > static_cast<std::int64_t>(kMaxIndex)) {
            fail(fmt::format("{} rows or columns are more than {}", fmt::join(factors, " x "), kMaxIndex));
        }
    }
    return static_cast<index_t>(product);
}

}  // namespace tilespmv::synthetic
