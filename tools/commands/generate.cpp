#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tile/archive/archive.hpp"
#include "tile/generate/generate.hpp"
#include "tile/io/printable.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/matrix_output.hpp"
#include "tools/options/options.hpp"
#include "tools/options/seconds.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"

namespace tilespmv::tools {
namespace {

struct GenerateOptions {
    std::string specification;
    std::string output;
    std::string values{value_name<double>()};
    std::optional<Symmetry> symmetry;
};

constexpr std::string_view kPrefix = "gen:";  ///< as in other commands, where it tells kinds from files

template <Value V>
void write(const GenerateOptions& options, const CsrMatrix<V>& csr) {
    if (is_matrix_market_name(options.output))
        return write_matrix_market(options.output, csr, options.symmetry.value_or(Symmetry::general));
    write_archive(options.output, convert(csr, *make_policy(kDefaultSelector)), formats::format_table());
}

template <Value V>
void generate_file(const GenerateOptions& options) {
    CsrMatrix<V> csr;
    std::string_view specification = options.specification;
    if (specification.starts_with(kPrefix)) specification.remove_prefix(kPrefix.size());
    const double made = seconds([&] { csr = generate<V>(specification); });
    const double written = seconds([&] { write(options, csr); });
    fmt::print("{}: {}; generate {:.3f} s, write {:.3f} s\n", printable(options.output),
               describe_size(csr.rows, csr.cols, csr.nnz()), made, written);
}

void run(const GenerateOptions& options) {
    require_matrix_output(options.output, options.symmetry);
    with_value_type(options.values, [&]<Value V>() { generate_file<V>(options); });
}

void print(const GeneratorInfo& info) {
    fmt::print("{}\n  {}.\n  Resembles: {}.\n", info.name, info.summary, info.resembles);
    for (const auto& p : info.parameters) fmt::print("    {:<15} {:<9} {}\n", p.name, p.default_value, p.meaning);
}

[[noreturn]] void list() {
    fmt::print("Kinds, with their parameters and defaults; the defaults give about a million nonzeros.\n");
    for (const auto& info : generators()) {
        fmt::print("\n");
        print(info);
    }
    throw CLI::Success();
}

std::string kinds() {
    std::vector<std::string_view> names;
    for (const auto& info : generators()) names.push_back(info.name);
    return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

void add_generate(CLI::App& app) {
    auto options = std::make_shared<GenerateOptions>();
    auto* command = app.add_subcommand("generate", "Write a synthetic matrix, the same every time and everywhere");
    command
        ->add_option("KIND", options->specification,
                     fmt::format("What to generate, KIND[:name=value,...]; kinds: {}", kinds()))
        ->required();
    add_output(*command, "-o,--output", options->output,
               "Matrix Market file (.mtx, or .mtx.gz, .bz2, .xz, .zst) or tiled archive (.tsp) to write")
        ->required();
    add_values(*command, options->values)->description("Value type (default: float64)");
    add_symmetry(*command, options->symmetry, "general");
    command->add_flag_callback("--list", list, "Describe every kind and its parameters");
    set_examples(*command,
                 {"tilespmv generate stencil27:n=96 -o stencil.mtx",
                  "tilespmv generate rmat:scale=20,degree=20,seed=7 -o rmat.tsp", "tilespmv generate --list"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
