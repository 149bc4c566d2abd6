#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/list.hpp"
#include "kernels/executed.hpp"
#include "tile/statistics.hpp"
#include "tools/paper/case_numbers.hpp"
#include "tools/paper/report.hpp"
#include "tools/paper/speedups.hpp"
#include "tools/text/executed_text.hpp"
#include "tools/text/markdown_table.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using Row = MarkdownTable::Row;

/// Three digits that count; "-" for 0, which stands for what is not known.
std::string figure(double value) {
    if (value == 0) return "-";
    return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

Row row_of(const PaperMatrix& matrix) { return {matrix.name, grouped(matrix.nnz)}; }

/// What a product of the adaptive configuration ran, of the nonzeros of all matrices.
std::string executed_by_adaptive(const PaperResults& results) {
    const auto adaptive = results.find(ContestantKind::configuration, kPaperAdaptive);
    if (!adaptive) return "";
    ExecutedParts all;
    for (const auto& matrix : results.matrices()) {
        if (const Result* r = matrix.results[*adaptive]) all.add(r->executed, 0);
    }
    const std::string parts = executed_text(all.finish(), std::numeric_limits<std::size_t>::max());
    return parts.empty()
               ? ""
               : fmt::format("; with {} of all nonzeros {}", label_of(results.contestants()[*adaptive]), parts);
}

std::string timing_text(const PaperResults& results) {
    std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;
    int cases = 0, noisy = 0;
    for (const auto& matrix : results.matrices()) {
        for (const Result* r : matrix.results) {
            if (!r) continue;
            least = std::min(least, r->warm.seconds.size());
            most = std::max(most, r->warm.seconds.size());
            ++cases;
            noisy += r->warm.converged ? 0 : 1;
        }
    }
    return fmt::format(
        "medians of {}{} samples of products back to back (warm), y = A x, by {}; all cases of a matrix were "
        "sampled "
        "in turn. {} of {} medians are noisier than asked for. Every product was checked row by row against one in "
        "higher precision.",
        least == most ? "" : fmt::format("{} to ", least), most,
        results.backend() == Backend::cuda ? "events on the GPU's stream" : "the host's steady clock", noisy, cases);
}

std::string how_executed(Backend backend) {
    if (backend == Backend::cpu)
        return "tiles by `tile-omp`, each by the routine of its format, deferred nonzeros as CSR rows";
    return "tiles by `tile`, which lowers them to slots, that dense, csr, ell and dense_col share, and to CSR rows, as "
           "coo "
           "and deferred nonzeros, and by `tile-warp`, the published algorithm with a routine for each format";
}

std::string head(const PaperResults& results) {
    const auto& id = results.setting();
    const auto& build = results.set().build;
    std::string text = "# The figures of the TileSpMV paper (Niu et al., IPDPS 2021), measured here\n\n";
    text += fmt::format("- Executed: {}{}.\n", how_executed(results.backend()), executed_by_adaptive(results));
    text += fmt::format("- Machine: {}; measured on {}, {} values, {} thread{} of the host.\n",
                        describe(results.set().machine), id.device, id.values, id.threads, id.threads == 1 ? "" : "s");
    text += fmt::format("- Revision: {} (tilespmv {}), {} build by {}.\n", build.revision, build.version, build.type,
                        build.compiler);
    text += fmt::format("- Timing: {}\n", timing_text(results));
    if (const auto left_out = left_out_text(results); !left_out.empty()) {
        text += fmt::format("- Left out: {}.\n", left_out);
    }
    return text;
}

/// GFLOP/s of some of the contestants, the fastest in bold.
std::string speed_table(const PaperResults& results, const std::vector<std::size_t>& columns) {
    Row header{"matrix", "nonzeros"};
    for (const auto i : columns) header.push_back(short_name_of(results.contestants()[i]));
    MarkdownTable table(header);
    for (const auto& matrix : results.matrices()) {
        double best = 0;
        for (const auto i : columns) best = std::max(best, matrix.results[i] ? gigaflops(*matrix.results[i]) : 0);
        Row row = row_of(matrix);
        for (const auto i : columns) {
            const double speed = matrix.results[i] ? gigaflops(*matrix.results[i]) : 0;
            row.push_back(speed > 0 && speed == best ? fmt::format("**{}**", figure(speed)) : figure(speed));
        }
        table.add(row);
    }
    return table.str();
}

std::vector<std::size_t> together(std::vector<std::size_t> a, const std::vector<std::size_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::string share_cell(const Result& r, const std::string& format) {
    const auto stored = stored_in(r, format);
    if (stored.nnz == 0) return "-";
    return fmt::format("{:.1f} / {:.1f}", 100 * share(stored.tiles, stored_tiles(r)), 100 * share(stored.nnz, r.nnz));
}

std::string shares_table(const PaperResults& results, std::size_t adaptive) {
    Row header{"matrix", "tiles"};
    for (const auto& info : formats::published_formats()) header.emplace_back(info.name);
    MarkdownTable table(header);
    for (const auto& matrix : results.matrices()) {
        const Result* r = matrix.results[adaptive];
        if (!r) continue;
        Row row{matrix.name, grouped(stored_tiles(*r))};
        for (const auto& info : formats::published_formats()) row.push_back(share_cell(*r, std::string(info.name)));
        table.add(row);
    }
    return table.str();
}

std::string storage_cell(const PaperMatrix& matrix, const Result* r) {
    if (!r) return "-";
    return fmt::format("{} / {} / {}", figure(over_csr(matrix, r->stored.bytes)),
                       figure(over_csr(matrix, r->stored.published_bytes)),
                       figure(over_csr(matrix, static_cast<offset_t>(r->matrix_bytes))));
}

std::string deferred_cell(const Result* r) {
    if (!r) return "-";
    return fmt::format("{} ({})", grouped(deferred_nonzeros(*r)), percent(share(deferred_nonzeros(*r), r->nnz)));
}

std::string storage_table(const PaperResults& results) {
    const auto configurations = results.of_first_operator(ContestantKind::configuration);
    const auto deferred = results.find(ContestantKind::configuration, kPaperDeferred);
    Row header{"matrix", "nonzeros"};
    for (const auto i : configurations) header.push_back(results.contestants()[i].name);
    if (deferred) header.push_back(fmt::format("deferred by {}", kPaperDeferred));
    MarkdownTable table(header);
    for (const auto& matrix : results.matrices()) {
        Row row = row_of(matrix);
        for (const auto i : configurations) row.push_back(storage_cell(matrix, matrix.results[i]));
        if (deferred) row.push_back(deferred_cell(matrix.results[*deferred]));
        table.add(row);
    }
    return table.str();
}

std::string preparation_table(const PaperResults& results) {
    Row header{"matrix", "nonzeros"};
    for (const auto& contestant : results.contestants()) header.push_back(label_of(contestant));
    MarkdownTable table(header);
    for (const auto& matrix : results.matrices()) {
        Row row = row_of(matrix);
        for (const Result* r : matrix.results) row.push_back(figure(r ? results.preparation(*r) : 0));
        table.add(row);
    }
    return table.str();
}

std::string speedup_table(const PaperResults& results) {
    MarkdownTable table({"speed-up of", "over", "matrices", "geometric mean", "least", "most", "wins"});
    for (const auto& pair : pair_speedups(results)) {
        table.add({label_of(results.contestants()[pair.of]), label_of(results.contestants()[pair.over]),
                   std::to_string(pair.matrices), figure(pair.mean), figure(pair.least), figure(pair.most),
                   std::to_string(pair.wins)});
    }
    return table.str();
}

std::string failure_lines(const std::string& title, const std::vector<PaperResults::Failure>& failures) {
    if (failures.empty()) return "";
    std::string text = fmt::format("\n## {}\n\n", title);
    for (const auto& f : failures) {
        text += fmt::format("- {}{}: {}\n", f.matrix, f.what.empty() ? "" : ", " + f.what, f.error);
    }
    return text;
}

}  // namespace

std::string left_out_text(const PaperResults& results) {
    std::vector<std::string> reasons;
    if (results.backend() == Backend::cpu) {
        std::vector<std::string> names;
        for (const auto& contestant : contestants(Backend::cuda)) {
            if (contestant.kind == ContestantKind::competitor) names.push_back(contestant.name);
        }
        reasons.push_back(fmt::format("{}, which need a GPU", fmt::join(names, ", ")));
    }
    if (!results.left_out().empty()) {
        reasons.push_back(fmt::format("{}, of which there is no right result", fmt::join(results.left_out(), ", ")));
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string paper_text(const PaperResults& results) {
    std::string text = head(results);
    const auto section = [&](const std::string& title, const std::string& explanation, const std::string& table) {
        text += fmt::format("\n## {}\n\n{}\n\n{}", title, explanation, table);
    };
    const auto adaptive = results.find(ContestantKind::configuration, kPaperAdaptive);
    section("GFLOP/s: configurations and competitors",
            "2 operations a nonzero. A competitor is the fastest of its variants; tables.csv names it.",
            speed_table(results, together(results.of_kind(ContestantKind::configuration),
                                          results.of_kind(ContestantKind::competitor))));
    if (const auto formats = results.of_kind(ContestantKind::format); !formats.empty()) {
        section("GFLOP/s: single formats", "A tile that the format cannot hold is CSR.", speed_table(results, formats));
    }
    if (adaptive) {
        section(fmt::format("Formats that {} chose", kPaperAdaptive), "Percent of the tiles / percent of the nonzeros.",
                shares_table(results, *adaptive));
    }
    section(
        "Bytes over CSR with 32-bit indices",
        "Tiles as stored here / the same tiles in the published layout / what a product reads of the operator's own "
        "form. "
        "What is not known, as in results of older versions, is -.",
        storage_table(results));
    if (const auto unit = results.preparation_unit(); !unit.empty()) {
        section(fmt::format("Preparation in products of {}", unit),
                "Everything from CSR in host memory to an operator that is ready.", preparation_table(results));
    }
    section(
        "Speed-ups",
        "Over a competitor by the median over the rounds of both where it was recorded, else by medians. A win is a "
        "matrix on which the first is faster.",
        speedup_table(results));
    text += failure_lines("Failed", results.failures());
    text += failure_lines("Variants that failed while another stood for the competitor", results.failed_members());
    return text;
}

}  // namespace tilespmv::tools
