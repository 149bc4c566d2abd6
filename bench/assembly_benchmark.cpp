// How long a matrix is assembled on a GPU, over CUB's radix sort of as many pairs and over a copy of its values, and
// how long operators take new values, over a copy of these:
///     assembly_benchmark [matrix...] [--entries N] [--operators auto,sell] [--json FILE]
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "bench/harness/assembly.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/program.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv::bench {
namespace {

struct Benchmark {
    std::vector<std::string> sources;
    std::vector<std::string> operators{"auto", "csr-vector", "sell", "ell", "dia", "csr-inode", "strip"};
    offset_t entries = 50'000'000;
    std::string json_file;
};

nlohmann::json assemble(offset_t entries) {
    const AssemblyTimes t = time_assembly(entries);
    fmt::print("{} entries, {} nonzeros: pattern {:.2f} ms, {:.2f} x a sort; values {:.3f} ms, {:.2f} x a copy\n",
               entries, t.nnz, t.pattern * 1e3, t.pattern / t.sort, t.sum * 1e3, t.sum / t.copy);
    return {{"entries", entries}, {"nnz", t.nnz},   {"pattern_s", t.pattern},
            {"sort_s", t.sort},   {"sum_s", t.sum}, {"copy_s", t.copy}};
}

/// Those that refuse the matrix, or new values, have a line that says so.
nlohmann::json update(const std::string& source, const std::vector<std::string>& operators,
                      std::vector<double>& ratios) {
    const auto a = read_source<double>(source);
    nlohmann::json all = nlohmann::json::array();
    for (const auto& specification : operators) {
        try {
            const NewValueTimes t = time_new_values(specification, a);
            fmt::print("{:<52} {:<12} {:<24} {:>9.1f} us {:>6.2f} x a copy\n", source, specification, t.takes,
                       t.update * 1e6, t.update / t.copy);
            ratios.push_back(t.update / t.copy);
            all.push_back({{"matrix", source},
                           {"nnz", a.nnz()},
                           {"operator", specification},
                           {"takes", t.takes},
                           {"update_s", t.update},
                           {"copy_s", t.copy}});
        } catch (const Error& error) {
            if (error.code() == ExitCode::unavailable) throw;
            fmt::print("{:<52} {:<12} {}\n", source, specification, error.what());
        }
    }
    return all;
}

int run(const Benchmark& all) {
    nlohmann::json json;
    if (all.entries > 0) json["assembly"] = assemble(all.entries);
    std::vector<double> ratios;
    json["new_values"] = nlohmann::json::array();
    for (const auto& source : all.sources) {
        for (auto& one : update(source, all.operators, ratios)) json["new_values"].push_back(one);
    }
    if (!ratios.empty()) fmt::print("new values: {:.2f} x a copy, geometric mean\n", geometric_mean(ratios));
    if (!all.json_file.empty()) {
        json["machine"] = describe(this_machine());
        json["revision"] = this_build().revision;
        OutputFile file(all.json_file);
        file.write(json.dump(2) + "\n");
        file.commit();
    }
    return 0;
}

}  // namespace
}  // namespace tilespmv::bench

int main(int argc, char** argv) {
    using namespace tilespmv::bench;
    CLI::App app("times assembly and new values of matrices on a GPU");
    Benchmark all;
    app.add_option("matrices", all.sources, "Matrix Market files or generators");
    app.add_option("--entries", all.entries, "of the assembly; 0: none")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--operators", all.operators, "that take new values")->delimiter(',')->capture_default_str();
    app.add_option("--json", all.json_file, "results as JSON go there");
    return run_program("assembly_benchmark", app, argc, argv, [&] { return run(all); });
}
