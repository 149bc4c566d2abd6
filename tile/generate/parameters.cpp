#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"
#include "tile/generate/generator.hpp"

namespace tilespmv::synthetic {

Parameters::Parameters(const GeneratorInfo& kind, std::string_view text) : kind_(&kind) {
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        set(kind, text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    for (const auto& parameter : kind.parameters) values_.try_emplace(parameter.name, parameter.default_value);
}

void Parameters::set(const GeneratorInfo& kind, std::string_view item) {
    const auto equals = item.find('=');
    if (equals == item.npos) fail(fmt::format("expected name=value, found '{}'", item));
    const auto name = item.substr(0, equals), text = item.substr(equals + 1);
    const auto parameter = std::ranges::find(kind.parameters, name, &GeneratorParameter::name);
    if (parameter == kind.parameters.end()) {
        std::vector<std::string_view> names;
        for (const auto& known : kind.parameters) names.push_back(known.name);
        fail(fmt::format("unknown parameter '{}'; it takes {}", name, fmt::join(names, ", ")));
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
    if (end != text.end() || error != std::errc{}) fail(fmt::format("{}='{}' is not a number", name, text));
    if (!values_.emplace(parameter->name, value).second) fail(fmt::format("'{}' is given twice", name));
    const bool whole = !parameter->integer || value == std::floor(value);
    if (!(value >= parameter->min && value <= parameter->max && whole)) {
        fail_range(*parameter, parameter->min, parameter->max);
    }
}

void Parameters::require_at_most(std::string_view name, double max) const {
    const auto parameter = std::ranges::find(kind_->parameters, name, &GeneratorParameter::name);
    if (real(name) > max) fail_range(*parameter, parameter->min, max);
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

void Parameters::fail_range(const GeneratorParameter& parameter, double min, double max) const {
    fail(fmt::format("{}={} is out of range, expected {} from {} to {}", parameter.name, values_.at(parameter.name),
                     parameter.integer ? "an integer" : "a number", min, max));
}

void Parameters::fail(const std::string& message) const {
    throw Error(fmt::format("generator {}: {}", kind_->name, message), ExitCode::usage);
}

}  // namespace tilespmv::synthetic
