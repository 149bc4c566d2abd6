#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "formats/list.hpp"
#include "tile/archive/archive.hpp"
#include "tile/error.hpp"
#include "tile/io/printable.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tile/transpose.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/matrix_output.hpp"
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
    std::optional<Symmetry> symmetry;
    bool is_transposed = false;
};

void check_output(const ConvertOptions& options) {
    require_matrix_output(options.output, options.symmetry);
    const bool is_text = is_matrix_market_name(options.output);
    if (is_text && !options.selector.empty()) {
        throw Error(fmt::format("{}: a .mtx has no tiles, so --selector has no meaning", options.output),
                    ExitCode::usage);
    }
    if (!is_text && options.is_transposed) {
        throw Error(fmt::format("{}: a transpose is written to a .mtx, which can be converted", options.output),
                    ExitCode::usage);
    }
}

template <Value V>
void write_tiles(const ConvertOptions& options) {
    LoadTimes times;
    const auto tiles = load_tiles<V>(options.source, options.selector, &times);
    const double write = seconds([&] { write_archive(options.output, tiles, formats::format_table()); });
    const double bytes_per_nonzero =
        tiles.nnz == 0 ? 0 : static_cast<double>(tiles.bytes()) / static_cast<double>(tiles.nnz);
    fmt::print(
        "{}: {}, {} tiles, {} deferred, {:.2f} bytes per nonzero; read {:.3f} s, convert {:.3f} s, write {:.3f} s\n",
        printable(options.output), describe_size(tiles.rows, tiles.cols, tiles.nnz), grouped(std::ssize(tiles.tiles)),
        grouped(tiles.deferred.nnz()), bytes_per_nonzero, times.read, times.convert, write);
}

template <Value V>
void write_entries(const ConvertOptions& options) {
    ReadNotes notes;
    CsrMatrix<V> csr;
    const double read = seconds([&] { csr = load_csr<V>(options.source, PatternValues::ones, &notes); });
    if (options.is_transposed) csr = transposed(csr).matrix;
    const double write =
        seconds([&] { write_matrix_market(options.output, csr, options.symmetry.value_or(notes.symmetry)); });
    fmt::print("{}: {}; read {:.3f} s, write {:.3f} s\n", printable(options.output),
               describe_size(csr.rows, csr.cols, csr.nnz()), read, write);
}

void run(const ConvertOptions& options) {
    check_output(options);
    with_value_type(value_type_for(options.source, options.values), [&]<Value V>() {
        if (is_matrix_market_name(options.output)) return write_entries<V>(options);
        write_tiles<V>(options);
    });
}

}  // namespace

void add_convert(CLI::App& app) {
    auto options = std::make_shared<ConvertOptions>();
    auto* command =
        app.add_subcommand("convert", "Convert a matrix to an archive of tiles (.tsp), or back to Matrix Market");
    add_source(*command, options->source);
    add_output(*command, "-o,--output", options->output,
               "What to write: an archive (.tsp) or a Matrix Market file (.mtx, or .mtx.gz, .bz2, .xz, .zst)")
        ->required();
    add_selector(*command, options->selector);
    add_values(*command, options->values);
    add_symmetry(*command, options->symmetry, "as in a Matrix Market file that is read, else general");
    command->add_flag("--transpose", options->is_transposed, "Write the transpose of A, to a Matrix Market file");
    set_examples(*command, {"tilespmv convert cant.mtx.gz -o cant.tsp --selector paper-adaptive",
                            "tilespmv convert cant.tsp -o cant.mtx.gz --symmetry symmetric",
                            "tilespmv convert gen:stencil27:n=64 -o stencil.tsp --values float32",
                            "tilespmv convert cnr-2000.mtx.xz -o cnr-2000-transposed.mtx --transpose"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
