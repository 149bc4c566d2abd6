#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/list.hpp"
#include "tools/paper/case_numbers.hpp"
#include "tools/paper/report.hpp"
#include "tools/paper/speedups.hpp"
#include "tools/text/csv_text.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using Cells = std::vector<std::string>;

std::string kind_name(ContestantKind kind) {
    switch (kind) {
        case ContestantKind::configuration:
            return "configuration";
        case ContestantKind::format:
            return "format";
        case ContestantKind::competitor:
            break;
    }
    return "competitor";
}

/// What is not known is an empty cell.
template <class T>
std::string cell(T value) {
    return value == T{} ? "" : fmt::format("{}", value);
}

Cells header(const PaperResults& results) {
    Cells cells{"matrix",
                "rows",
                "nnz",
                "values",
                "device",
                "threads",
                "kind",
                "contestant",
                "operator",
                "gflops",
                "median_s",
                "noise",
                "read_bytes_over_csr",
                "tiled_bytes_over_csr",
                "published_bytes_over_csr",
                "preparation_s",
                "preparation_products",
                "deferred_nnz",
                "tiles"};
    for (const auto& info : formats::published_formats()) {
        cells.push_back(fmt::format("{}_tiles", info.name));
        cells.push_back(fmt::format("{}_nnz", info.name));
    }
    for (const auto i : results.of_kind(ContestantKind::competitor)) {
        cells.push_back("speedup_over_" + results.contestants()[i].name);
    }
    return cells;
}

void add_tiles(Cells& cells, const Result& r) {
    const bool has_tiles = !r.id.selector.empty();
    const auto count = [&](offset_t n) { return has_tiles ? fmt::format("{}", n) : std::string(); };
    cells.push_back(count(deferred_nonzeros(r)));
    cells.push_back(count(stored_tiles(r)));
    for (const auto& info : formats::published_formats()) {
        const auto stored = stored_in(r, info.name);
        cells.push_back(count(stored.tiles));
        cells.push_back(count(stored.nnz));
    }
}

Cells row(const PaperResults& results, const PaperMatrix& matrix, std::size_t contestant) {
    const Result& r = *matrix.results[contestant];
    const auto m = metrics(r);
    Cells cells{in_quotes(r.id.matrix),
                fmt::format("{}", matrix.rows),
                fmt::format("{}", matrix.nnz),
                r.id.values,
                in_quotes(r.id.device),
                fmt::format("{}", r.id.threads),
                kind_name(results.contestants()[contestant].kind),
                in_quotes(label_of(results.contestants()[contestant])),
                in_quotes(r.id.operator_name),
                cell(gigaflops(r)),
                cell(m.seconds),
                cell(m.noise),
                cell(over_csr(matrix, static_cast<offset_t>(r.matrix_bytes))),
                cell(over_csr(matrix, r.stored.bytes)),
                cell(over_csr(matrix, r.stored.published_bytes)),
                cell(m.preprocess_seconds),
                cell(results.preparation(r))};
    add_tiles(cells, r);
    for (const auto i : results.of_kind(ContestantKind::competitor)) {
        cells.push_back(cell(speedup(results, matrix, contestant, i).value_or(0)));
    }
    return cells;
}

}  // namespace

std::string paper_csv(const PaperResults& results) {
    std::string csv = fmt::format("{}\n", fmt::join(header(results), ","));
    for (const auto& matrix : results.matrices()) {
        for (std::size_t i = 0; i < results.contestants().size(); ++i) {
            if (matrix.results[i]) csv += fmt::format("{}\n", fmt::join(row(results, matrix, i), ","));
        }
    }
    return csv;
}

}  // namespace tilespmv::tools
