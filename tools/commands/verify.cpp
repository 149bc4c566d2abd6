#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/operator_list.hpp"
#include "tools/options/options.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"
#include "tools/options/vectors_option.hpp"
#include "tools/verify/verify.hpp"

namespace tilespmv::tools {
namespace {

struct VerifyOptions {
    std::string source;
    std::string original;
    std::vector<std::string> selectors;
    std::vector<std::string> operators;
    std::string values;
    std::string device;
    std::optional<Accumulator> accumulator;
    std::uint64_t seed = 1;
    VectorsOption vectors;
};

struct NamedPolicy {
    std::string name;
    std::unique_ptr<TilePolicy> policy;
};

/// The selectors asked for, or every one there is.
std::vector<NamedPolicy> make_policies(std::vector<std::string> names) {
    if (names.empty()) {
        for (const auto& info : selectors()) names.emplace_back(info.name);
    }
    std::vector<NamedPolicy> policies(names.size());
    std::transform(names.begin(), names.end(), policies.begin(), [](const std::string& name) {
        return NamedPolicy{name, make_policy(name)};
    });
    return policies;
}

/// The operators asked for, or every one there is on the device.
template <Value V>
std::vector<ChosenOperator<V>> select_operators(const VerifyOptions& options) {
    const Backend backend = choose_backend(options.device);
    std::vector<ChosenOperator<V>> selected;
    for (const auto& specification : expand_operators<V>(backend, options.operators)) {
        const bool no_choice = find_operator<V>(backend, specification).sums_in_own_type;
        const auto sums = no_choice ? std::nullopt : options.accumulator;
        selected.push_back(choose_operator<V>(backend, specification, sums));
    }
    return selected;
}

/// As wide as the longest name, but at least `width`.
std::size_t width_of_names(std::size_t width, const auto& named) {
    for (const auto& one : named) width = std::max(width, one.name.size());
    return width;
}

template <Value V>
void verify(const VerifyOptions& options) {
    const auto policies = make_policies(options.selectors);
    const auto operators = select_operators<V>(options);
    const auto csr = load_csr<V>(options.original.empty() ? options.source : options.original);
    fmt::print("{}: {}, {}{}\n", source_name(options.source), describe_size(csr.rows, csr.cols, csr.nnz()),
               value_name<V>(), options.vectors.text(std::max(options.vectors.columns, 1)));
    const VerifyWidths widths{width_of_names(16, operators), width_of_names(18, policies)};
    fmt::print("{}", verify_header(widths));
    const auto report = [&](const VerifyCase& result) { fmt::print("{}", verify_line(result, widths)); };
    Verifier<V> verifier(csr, operators, options.seed, report, options.vectors);
    verifier.check_csr();
    if (choose_backend(options.device) == Backend::cuda) verifier.check_csr_on_gpu();
    if (options.selectors.empty() && stored_form(options.source) == Form::tiles) {
        verifier.check_tiles("as stored", load_tiles<V>(options.source, ""));
    }
    for (const auto& [name, policy] : policies) verifier.check_tiles(name, convert(csr, *policy));
    verifier.require_ok();
    fmt::print("all {} cases ok\n", verifier.cases());
}

}  // namespace

void add_verify(CLI::App& app) {
    auto options = std::make_shared<VerifyOptions>();
    auto* command = app.add_subcommand(
        "verify", "Check every operator on every kind of tiles against a product in higher precision, row by row");
    add_source(*command, options->source);
    add_input(*command, "--original", options->original,
              "The matrix that A, an archive, was made from: what A holds is compared with it, not with itself");
    add_selectors(*command, options->selectors);
    add_operators(*command, options->operators, "Operator to check, name[:option=value,...] (default: all)");
    add_values(*command, options->values);
    add_vectors(*command, options->vectors);
    add_seed(*command, options->seed);
    add_accumulator(*command, options->accumulator);
    add_device(*command, options->device, "cuda if there is a GPU, else cpu");
    set_examples(*command, {"tilespmv verify cant.mtx",
                            "tilespmv verify cant.mtx --values float32 --selector paper --selector bytes",
                            "tilespmv verify gen:rmat:scale=14 --device cpu --operator tile-omp",
                            "tilespmv verify cant.mtx --columns 8 --layout row --transpose"});
    command->callback([options] {
        with_value_type(value_type_for(options->source, options->values), [&]<Value V>() { verify<V>(*options); });
    });
}

}  // namespace tilespmv::tools
