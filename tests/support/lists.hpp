#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/list.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"

/// What there is, by the tables, as messages list it: another format, selector or operator changes no test.
namespace tilespmv::test {

/// The names of a table, without those for which `is_left_out(entry)` holds.
template <class Table, class Predicate>
std::vector<std::string> names_of(const Table& table, Predicate&& is_left_out) {
    std::vector<std::string> names;
    for (const auto& entry : table) {
        if (!is_left_out(entry)) names.emplace_back(entry.name);
    }
    return names;
}

inline std::string joined(const std::vector<std::string>& names, std::string_view between = ", ") {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : std::string(between)) + name;
    return text;
}

inline std::string format_names(std::string_view between = ", ") {
    return joined(names_of(formats::format_table(), [](const auto&) { return false; }), between);
}

inline std::string selector_names() {
    const auto is_only = [](const SelectorInfo& info) { return info.name.starts_with("only:"); };
    return joined(names_of(selectors(), is_only)) + ", only:<format>";
}

template <Value V = double>
std::string cpu_operator_names() {
    return joined(names_of(operators<V>(Backend::cpu), [](const auto&) { return false; }));
}

/// Those that `bench` measures unasked, as it orders them.
inline std::vector<std::string> cpu_contestants() {
    auto names = names_of(operators<double>(Backend::cpu), [](const auto& info) {
        return info.only_if_named || info.name == "reference" || info.name == "csr-omp";
    });
    names.insert(names.begin(), "csr-omp");
    return names;
}

}  // namespace tilespmv::test
