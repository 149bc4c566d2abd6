#include "tools/tune/tune_text.hpp"

#include <fmt/format.h>

#include "tools/text/number_text.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

std::string machine_text(const Probe& p) {
    std::string text = fmt::format("{}: memory {:.1f} GB/s, cache of {:.0f} MB {:.1f} GB/s", p.name, p.read_rate * 1e-9,
                                   p.cache_bytes * 1e-6, p.cache_rate * 1e-9);
    if (p.is_gpu) {
        text += fmt::format(", launch {:.2f} us in a loop, {:.2f} us in a graph", p.loop_launch_seconds * 1e6,
                            p.graph_launch_seconds * 1e6);
    }
    return text + "\n";
}

std::string operators_text(const std::vector<SpmvModel>& models) {
    if (models.empty()) return "";
    TextTable table;
    table.add({"operator", "bytes", "of sums", "matrices", "accuracy", "held out"});
    for (const SpmvModel& m : models) {
        table.add({m.specification, fmt::format("{}", m.sizes.value), fmt::format("{}", m.sizes.sum),
                   fmt::format("{}", m.matrices), percent(m.accuracy),
                   m.held_out_accuracy == 0 ? "-" : percent(m.held_out_accuracy)});
    }
    return fmt::format("\n{}", table.str());
}

}  // namespace

std::string tune_text(const TuneOutcome& outcome) {
    std::string text = machine_text(outcome.profile.probe);
    text += fmt::format("{} measured now", grouped(outcome.measured));
    if (outcome.left > 0) text += fmt::format(", {} left: run it again to go on", grouped(outcome.left));
    text += fmt::format("\n{}", operators_text(outcome.profile.models));
    return text;
}

}  // namespace tilespmv::tools
