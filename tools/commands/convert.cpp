#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "formats/list.hpp"
#include "tile/archive/archive.hpp"
#include "tile/error.hpp"
#include "tile/io/printable.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/options/seconds.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

struct ConvertOptions {
    std::string source;
    std::string output;
    std::string selector;
    std::string values;
};

void check_output(const ConvertOptions& options) {
    const std::filesystem::path output = options.output;
    if (output.extension() != ".tsp" && output.extension() != ".mtx")
        throw Error(fmt::format("{}: expected an output that ends in .tsp or .mtx", options.output), ExitCode::usage);
    if (output.extension() == ".mtx" && !options.selector.empty())
        throw Error(fmt::format("{}: a .mtx has no tiles, so --selector has no meaning", options.output),
                    ExitCode::usage);
}

template <Value V>
void write_tiles(const ConvertOptions& options) {
    LoadTimes times;
    const auto tiles = load_tiles<V>(options.source, options.selector, &times);
    const double write = seconds([&] { write_archive(options.output, tiles, formats::format_table()); });
    fmt::print(
        "{}: {}, {} tiles, {} deferred, {:.2f} bytes per nonzero; read {:.3f} s, convert {:.3f} s, write {:.3f} s\n",
        printable(options.output), describe_size(tiles.rows, tiles.cols, tiles.nnz), grouped(std::ssize(tiles.tiles)),
        grouped(tiles.deferred.nnz()),
        tiles.nnz == 0 ? 0.0 : static_cast<double>(tiles.bytes()) / static_cast<double>(tiles.nnz), times.read,
        times.convert, write);
}

template <Value V>
void write_entries(const ConvertOptions& options) {
    CsrMatrix<V> csr;
    const double read = seconds([&] { csr = load_csr<V>(options.source); });
    const double write = seconds([&] { write_matrix_market(options.output, csr); });
    fmt::print("{}: {}; read {:.3f} s, write {:.3f} s\n", printable(options.output),
               describe_size(csr.rows, csr.cols, csr.nnz()), read, write);
}

void run(const ConvertOptions& options) {
    check_output(options);
    const bool tiled = std::filesystem::path(options.output).extension() == ".tsp";
    with_value_type(value_type_for(options.source, options.values),
                    [&]<Value V>() { tiled ? write_tiles<V>(options) : write_entries<V>(options); });
}

}  // namespace

void add_convert(CLI::App& app) {
    auto options = std::make_shared<ConvertOptions>();
    auto* command =
        app.add_subcommand("convert", "Convert a matrix to a tiled archive (.tsp), or back to Matrix Market");
    add_source(*command, options->source);
    add_output(*command, "-o,--output", options->output,
               "What to write: an archive (.tsp) or a Matrix Market file (.mtx)")
        ->required();
    add_selector(*command, options->selector);
    add_values(*command, options->values);
    set_examples(*command, {"tilespmv convert cant.mtx.gz -o cant.tsp --selector paper-adaptive",
                            "tilespmv convert cant.tsp -o cant.mtx",
                            "tilespmv convert gen:stencil27:n=64 -o stencil.tsp --values float32"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
