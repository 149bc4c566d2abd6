#include <memory>
#include <string>

#include <fmt/format.h>
#include <omp.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "kernels/auto/machine_ranking.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cpu/vectors.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "selector/auto/features_of.hpp"
#include "tile/error.hpp"
#include "tools/commands/command.hpp"
#include "tools/explain/explanation.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"

namespace tilespmv::tools {
namespace {

struct ExplainOptions {
    std::string source;
    std::string values;
    std::string device;
    std::optional<Accumulator> accumulator;
    offset_t products = 0;
    std::string json;
};

/// Of this machine, or the one that was measured; `name` says which.
Gpu gpu_to_choose_for(std::size_t value_bytes, std::string& name) {
    try {
        name = cuda::require_device().name;
        return cuda::this_gpu(value_bytes);
    } catch (const Error& error) {
        if (error.code() != ExitCode::unavailable) throw;
        name = fmt::format("{} (no GPU here)", gpu_costs().machine);
        return measured_gpu(value_bytes);
    }
}

template <Value V>
Explanation explain(const ExplainOptions& options) {
    Explanation e;
    e.question.products = options.products;
    const bool on_gpu = options.device == "cuda" || (options.device.empty() && choose_backend("") == Backend::cuda);
    if (on_gpu) {
        e.question.gpu = gpu_to_choose_for(sizeof(V), e.device);
    } else {
        require_values<V>(Backend::cpu);
        e.question.threads = omp_get_max_threads();
        const Form form = stored_form(options.source);
        if (form != Form::csr) e.stored = operator_on<double>(Backend::cpu, form);
        e.question.lanes = cpu::vector_lanes();
        e.device = fmt::format("cpu, {} thread{}, {}", e.question.threads, e.question.threads == 1 ? "" : "s",
                               cpu::vectors_in_use());
    }
    const Accumulator sums = options.accumulator.value_or(default_accumulator<V>());
    require_accumulator<V>(on_gpu ? Backend::cuda : Backend::cpu, sums);
    const CsrMatrix<V> a = load_csr<V>(options.source);
    e.question.features = features_of(pattern_of(a));
    e.question.features.sum_bytes = accumulator_bytes(sums);
    e.matrix = source_name(options.source);
    e.values = value_name<V>();
    e.sums = accumulator_name(sums);
    e.costs = on_gpu ? &gpu_costs() : &cpu_costs(e.question.lanes);
    e.ranked = rank_all_operators<V>(e.question);
    return e;
}

}  // namespace

void add_explain(CLI::App& app) {
    auto options = std::make_shared<ExplainOptions>();
    auto* command =
        app.add_subcommand("explain", "Say which operator auto takes for a matrix, why, and what others would cost");
    add_source(*command, options->source);
    add_values(*command, options->values);
    add_device(*command, options->device,
               "the GPU if there is one; cuda without one asks for the GPU that was measured");
    add_accumulator(*command, options->accumulator);
    add_number<offset_t>(*command, "--products", options->products, 0, offset_t{1} << 52,
                         "Expected products; 0: so many that preparation does not count")
        ->default_str("0");
    add_output_or_stdout(*command, "--json", options->json,
                         "Write it as JSON to this file, with every feature and term");
    set_examples(*command, {"tilespmv explain cant.mtx",
                            "tilespmv explain cant.mtx --device cuda --products 1000 --json cant.json"});
    command->callback([options] {
        with_value_type(value_type_for(options->source, options->values), [&]<Value V>() {
            const auto explanation = explain<V>(*options);
            if (!options->json.empty()) write_text(options->json, explanation_json(explanation).dump(2) + "\n");
            if (options->json != kStdout) fmt::print("{}", explanation_text(explanation));
        });
    });
}

}  // namespace tilespmv::tools
