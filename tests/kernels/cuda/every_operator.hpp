#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/sweeps.hpp"
#include "selector/policy.hpp"
#include "tests/support/joined_options.hpp"
#include "tests/support/refusal.hpp"

namespace tilespmv::testing {

/// The operator as it is, with each value of each option of its sweeps, and with joined options.
template <class V>
std::vector<std::string> specifications(const OperatorInfo<V>& info) {
    std::vector<std::string> all{std::string(info.name)};
    for (const Sweep& sweep : sweeps_of(info)) {
        for (const auto& value : sweep.values) all.push_back(fmt::format("{}:{}={}", info.name, sweep.option, value));
    }
    for (auto& joined : joined_options(info.name)) all.push_back(std::move(joined));
    return all;
}

/// One way to apply a matrix, and what the list says about it.
template <class V>
struct OperatorCase {
    std::string name;
    const OperatorInfo<V>* info;
    std::unique_ptr<cuda::DeviceOperator<V>> made;
};

/// The operators of the list that `accumulator` is for, those on tiles with every selector, in those of their
/// specifications for which `specification_of(info, specification)` gives one to make, which may be another.
template <class V, class SpecificationOf>
std::vector<OperatorCase<V>> operators_made_as(const CsrMatrix<V>& csr, Accumulator accumulator,
                                               SpecificationOf&& specification_of) {
    std::vector<OperatorCase<V>> all;
    const auto add = [&](const std::string& with, Form form, const Source<V>& source) {
        for (const auto& info : operators<V>(Backend::cuda)) {
            if (info.made_from != form) continue;
            if (info.sums_in_own_type && accumulator != default_accumulator(info)) continue;
            for (const auto& listed : specifications(info)) {
                const std::string spec = specification_of(info, listed);
                if (spec.empty()) continue;
                auto made = unless_refused(
                    info, [&] { return cuda::make_device_operator<V>(spec, source, accumulator, nullptr); });
                if (made) all.push_back({spec + with, &info, std::move(made)});
            }
        }
    };
    add("", Form::csr, csr);
    for (const auto& selector : selectors()) {
        const auto tiles = convert(csr, *make_policy(selector.name));
        add(" of " + std::string(selector.name), Form::tiles, tiles);
    }
    return all;
}

/// Every operator of the list in every specification, those on tiles with every selector.
template <class V>
std::vector<OperatorCase<V>> every_operator(const CsrMatrix<V>& csr, Accumulator accumulator) {
    return operators_made_as(csr, accumulator,
                             [](const OperatorEntry&, const std::string& specification) { return specification; });
}

/// The specification with which an operator takes new values; empty if it never does, as those of cuSPARSE.
inline std::string updatable(const OperatorEntry& entry, const std::string& specification) {
    if (entry.new_values == NewValues::never) return "";
    if (entry.new_values == NewValues::always) return specification;
    return specification + (specification.find(':') == std::string::npos ? ':' : ',') + "updatable=1";
}

/// The same, made so that they take new values, without those that do not.
template <class V>
std::vector<OperatorCase<V>> every_updatable_operator(const CsrMatrix<V>& csr, Accumulator accumulator) {
    return operators_made_as(csr, accumulator, updatable);
}

}  // namespace tilespmv::testing
