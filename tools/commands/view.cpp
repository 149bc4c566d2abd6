#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "selector/policy.hpp"
#include "tile/io/printable.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"
#include "tools/text/number_text.hpp"
#include "tools/view/view.hpp"

namespace tilespmv::tools {
namespace {

struct ViewCommand {
    std::string source;
    std::string output;
    std::string selector;
    std::string values;
    double megabytes = 5;
};

void print_page(const ViewCommand& command, const std::string& size, const ViewPage& page) {
    const std::string shown = page.detailed_tiles == page.tiles
                                  ? "all in detail"
                                  : fmt::format("{} of them in detail", grouped(page.detailed_tiles));
    fmt::print("{}: {}, {} tiles, {}; {}\n", printable(command.output), size, grouped(page.tiles), shown,
               byte_size(std::ssize(page.html)));
}

template <Value V>
void view(const ViewCommand& command) {
    ViewOptions options{.name = source_name(command.source),
                        .most_bytes = static_cast<std::size_t>(command.megabytes * 1e6)};
    const Source<V> source = load_source<V>(command.source);
    const TileMatrix<V>* stored = command.selector.empty() ? source.find_tiles() : nullptr;
    TileMatrix<V> converted;
    if (stored == nullptr) {
        options.selector = command.selector.empty() ? kDefaultSelector : command.selector;
        converted = convert(source.csr(), *make_policy(options.selector));
    }
    const ViewPage page = view_page(source.csr(), stored == nullptr ? converted : *stored, options);
    write_text(command.output, page.html);
    if (command.output != kStdout) print_page(command, describe_size(source.rows(), source.cols(), source.nnz()), page);
}

}  // namespace

void add_view(CLI::App& app) {
    auto command = std::make_shared<ViewCommand>();
    auto* sub = app.add_subcommand(
        "view", "Write a page for a browser in which one zooms from the whole matrix to the nonzeros of a tile");
    add_source(*sub, command->source);
    add_output_or_stdout(*sub, "-o,--output", command->output, "The page, an HTML file that loads nothing")->required();
    add_selector(*sub, command->selector);
    add_values(*sub, command->values);
    add_number<double>(*sub, "--size", command->megabytes, 0.1, 100,
                       "MB of the page at most; details of tiles that do not fit are left out")
        ->default_str("5");
    set_examples(*sub, {"tilespmv view cant.mtx.gz -o cant.html",
                        "tilespmv view cant.mtx.gz -o cant.html --selector paper-deferred",
                        "tilespmv view gen:rmat:scale=20 -o rmat.html --size 20"});
    sub->callback([command] {
        if (!command->selector.empty()) make_policy(command->selector);
        with_value_type(value_type_for(command->source, command->values), [&]<Value V>() { view<V>(*command); });
    });
}

}  // namespace tilespmv::tools
