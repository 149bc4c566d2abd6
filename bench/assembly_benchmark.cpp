// How long a matrix is assembled on a GPU, over CUB's radix sort of as many pairs and over a copy of its values, how
// long operators take new values, over a copy of these, and what memory both take at most:
///     assembly_benchmark [matrix...] [--entries N] [--operators auto,sell] [--json FILE]
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <map>
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
    std::vector<std::string> operators{"auto", "csr-vector", "csr-merge", "sell", "ell",
                                       "dia",  "csr-inode",  "strip",     "coo",  "tile:updatable=1"};
    offset_t entries = 50'000'000;
    std::string json_file;
};

nlohmann::json assemble(offset_t entries) {
    const AssemblyTimes t = time_assembly(entries);
    fmt::print("{} entries, {} nonzeros: pattern {:.2f} ms, {:.2f} x a sort; values {:.3f} ms, {:.2f} x a copy\n",
               entries, t.nnz, t.pattern * 1e3, t.pattern / t.sort, t.sum * 1e3, t.sum / t.copy);
    const auto peak = static_cast<double>(t.peak_bytes), kept = static_cast<double>(t.bytes);
    fmt::print("{:.0f} bytes an entry at the peak, {:.1f} kept\n", peak / entries, kept / entries);
    return {{"entries", entries}, {"nnz", t.nnz},     {"pattern_s", t.pattern},     {"sort_s", t.sort},
            {"sum_s", t.sum},     {"copy_s", t.copy}, {"peak_bytes", t.peak_bytes}, {"bytes", t.bytes}};
}

/// Those that refuse the matrix, or new values, have a line that says so.
nlohmann::json update(const std::string& source, const std::vector<std::string>& operators,
                      std::map<std::string, std::vector<double>>& ratios) {
    const auto a = read_source<double>(source);
    nlohmann::json all = nlohmann::json::array();
    for (const auto& specification : operators) {
        try {
            const NewValueTimes t = time_new_values(specification, a);
            fmt::print("{:<52} {:<16} {:<24} {:>9.1f} us {:>6.2f} x a copy; peak {:.2f}\n", source, specification,
                       t.takes, t.update * 1e6, t.update / t.copy, t.peak);
            ratios[specification].push_back(t.update / t.copy);
            all.push_back({{"matrix", source},
                           {"nnz", a.nnz()},
                           {"operator", specification},
                           {"takes", t.takes},
                           {"update_s", t.update},
                           {"copy_s", t.copy},
                           {"peak", t.peak}});
        } catch (const Error& error) {
            if (error.code() == ExitCode::unavailable) throw;
            fmt::print("{:<52} {:<16} {}\n", source, specification, error.what());
        }
    }
    return all;
}

int run(const Benchmark& all) {
    nlohmann::json json;
    if (all.entries > 0) json["assembly"] = assemble(all.entries);
    std::map<std::string, std::vector<double>> ratios;
    json["new_values"] = nlohmann::json::array();
    for (const auto& source : all.sources) {
        for (auto& one : update(source, all.operators, ratios)) json["new_values"].push_back(one);
    }
    for (const auto& [specification, of] : ratios) {
        fmt::print("new values of {}: {:.2f} x a copy, geometric mean of {}\n", specification, geometric_mean(of),
                   of.size());
    }
    if (!all.json_file.empty()) {
        const Machine machine = this_machine();
        json["machine"] = {{"cpu", machine.cpu},
                           {"cores", machine.cores},
                           {"gpu", {{"name", machine.gpu.name}, {"runtime", machine.gpu.runtime}}}};
        json["build"] = {{"revision", this_build().revision}};
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
