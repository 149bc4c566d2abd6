/// How long operators take from CSR in the memory of the host until they can run, over an upload of CSR:
///
///     preparation_benchmark [matrix...] [--suite NAME] [--operators auto,csr-vector] [--values TYPE] [--pause MS] ...
///
/// A matrix is a generator specification (`laplace2d:n=300`) or a Matrix Market file. Two uploads stand beside each
/// other, of row pointers of 32 bits (of 64 from 2^31 nonzeros on), columns and values: into memory that is there
/// already, and with taking that memory from the device. Operators take theirs from the library's pool. Uploads and
/// preparations are sampled in turn, each after a pause, as if nothing else were done; `--pause 0` for one after the
/// other. At the end: means over the matrices and the worst.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/harness/candidate.hpp"
#include "bench/harness/cpu_device.hpp"
#include "bench/harness/cuda_device.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/sampling.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/harness/suite.hpp"
#include "bench/harness/upload.hpp"
#include "bench/program.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/io/output_file.hpp"

namespace {

using namespace tilespmv;
using namespace tilespmv::bench;

struct Benchmark {
    std::vector<std::string> sources;
    std::string suite;
    std::vector<std::string> operators{"auto", "csr-vector"};
    std::string values{value_name<double>()};
    bool is_on_cpu = false;
    int pause_milliseconds = 20;
    StoppingRule rule{.min_samples = 10, .max_samples = 200, .min_seconds = 0, .max_seconds = 4, .noise = 0.03};
    std::string json_file;

    std::map<std::string, std::vector<std::pair<double, std::string>>> over_upload{};  ///< of operators, by matrix
    nlohmann::json json = nlohmann::json::array();
};

/// What an upload of a CSR matrix copies.
template <Value V>
class UploadedArrays {
public:
    explicit UploadedArrays(const CsrMatrix<V>& a) : a_(a) {
        if (a.nnz() > std::numeric_limits<std::int32_t>::max()) return;
        narrow_ = Buffer<std::int32_t>(a.row_ptrs.size());
        std::ranges::transform(a.row_ptrs, narrow_.begin(), [](offset_t p) { return static_cast<std::int32_t>(p); });
    }
    [[nodiscard]] HostArrays get() const {
        return {narrow_.size() > 0 ? bytes_of(narrow_) : bytes_of(a_.row_ptrs), bytes_of(a_.col_idxs),
                bytes_of(a_.values)};
    }

private:
    template <class T>
    static std::span<const std::byte> bytes_of(const Buffer<T>& array) {
        return std::as_bytes(std::span<const T>(array.data(), array.size()));
    }

    const CsrMatrix<V>& a_;
    Buffer<std::int32_t> narrow_;
};

/// One of the things that are timed: how it is done, and what undoes it.
struct Step {
    std::function<void()> undo;
    std::function<void()> run;
};

std::vector<Summary> time_in_turn(const std::vector<Step>& steps, const Benchmark& all) {
    SteadyStopwatch stopwatch;
    std::vector<Workload> workloads;
    for (const Step& step : steps) {
        const auto prepare = [&all, &step] {
            step.undo();
            std::this_thread::sleep_for(std::chrono::milliseconds(all.pause_milliseconds));
        };
        workloads.push_back({.prepare = prepare, .run = step.run, .stopwatch = &stopwatch});
    }
    std::vector<Summary> summaries;
    for (const Timing& timing : sample_in_turn(workloads, all.rule)) {
        if (!timing.error.empty()) throw Error(timing.error);
        summaries.push_back(summarize(timing.seconds));
    }
    return summaries;
}

nlohmann::json to_json(const Summary& s) {
    return {{"seconds", s.median}, {"low", s.low}, {"high", s.high}, {"samples", s.count}};
}

/// An operator of one matrix, made again and again.
struct Preparation {
    std::string specification;
    ProductBuilder build;
    std::unique_ptr<Product> made{};
};

template <Value V>
std::vector<Preparation> preparations_of(const CsrMatrix<V>& a, const Buffer<V>& x, Device& device,
                                         const std::vector<std::string>& operators) {
    std::vector<Preparation> all;
    for (const auto& specification : operators) {
        const auto candidate = make_candidate<V>(device, specification, std::string(kDefaultSelector));
        all.push_back({specification, candidate.bind(a, {x.data(), x.size()})});
        all.back().made = all.back().build();  // not counted: it brings x there
    }
    return all;
}

void report(const std::string& source, offset_t nnz, const std::vector<Summary>& times,
            const std::vector<Preparation>& preparations, Benchmark& all) {
    constexpr std::size_t kUploads = 2;
    const double there = times[0].median;
    const double upload = times[1].median;
    nlohmann::json json{
        {"matrix", source}, {"nonzeros", nnz}, {"copy", to_json(times[0])}, {"upload", to_json(times[1])}};
    for (std::size_t i = 0; i < preparations.size(); ++i) {
        const Preparation& p = preparations[i];
        const double seconds = times[kUploads + i].median;
        fmt::print("{:<52} {:>11} {:>9.0f} {:>9.0f}  {:<12} {:>9.0f} {:>6.2f} {:>6.2f}  {}\n", source, nnz, there * 1e6,
                   upload * 1e6, p.specification, seconds * 1e6, seconds / there, seconds / upload, p.made->name());
        all.over_upload[p.specification].emplace_back(seconds / upload, source);
        json["preparations"].push_back(to_json(times[kUploads + i]));
        json["preparations"].back().update({{"operator", p.specification}, {"takes", p.made->name()}});
    }
    std::fflush(stdout);
    all.json.push_back(std::move(json));
}

template <Value V>
void measure(const std::string& source, Device& device, Benchmark& all) {
    const auto a = read_source<V>(source);
    const UploadedArrays<V> arrays(a);
    const auto x = make_x<V>(a.cols);
    auto preparations = preparations_of(a, x, device, all.operators);
    std::unique_ptr<Upload> there = make_upload(device, arrays.get());
    std::unique_ptr<Upload> upload;
    std::vector<Step> steps{{[] {}, [&] { there->copy(); }},
                            {[&] { upload = nullptr; },
                             [&] {
                                 upload = make_upload(device, arrays.get());
                                 upload->copy();
                             }}};
    for (Preparation& p : preparations) steps.push_back({[&p] { p.made = nullptr; }, [&p] { p.made = p.build(); }});
    report(source, a.nnz(), time_in_turn(steps, all), preparations, all);
}

/// Calls f.operator()<V>() for the type of values that is asked for.
template <class F>
void with_values(const Benchmark& all, F&& f) {
#define TILESPMV_CALL(V) \
    if (all.values == value_name<V>()) f.template operator()<V>();
    TILESPMV_FOR_EACH_VALUE(TILESPMV_CALL)
#undef TILESPMV_CALL
}

/// Throws a usage `Error` for an operator that the device does not have.
void check_operators(const Benchmark& all) {
    with_values(all, [&]<Value V>() {
        for (const auto& one : all.operators) choose_operator<V>(all.is_on_cpu ? Backend::cpu : Backend::cuda, one, {});
    });
}

void measure_or_tell(const std::string& source, Device& device, Benchmark& all) {
    try {
        with_values(all, [&]<Value V>() { measure<V>(source, device, all); });
    } catch (const tilespmv::Error& error) {
        if (error.code() == ExitCode::usage) throw;
        fmt::print("{}: {}\n", source, error.what());
        all.json.push_back({{"matrix", source}, {"error", error.what()}});
    }
}

void print_means(const Benchmark& all) {
    for (const auto& [name, ratios] : all.over_upload) {
        std::vector<double> plain;
        for (const auto& [ratio, source] : ratios) plain.push_back(ratio);
        const auto& [worst, source] = std::ranges::max(ratios);
        fmt::print("{}: {:.2f} uploads, geometric mean of {} matrices; worst {:.2f} ({}); above 2 on {}\n", name,
                   geometric_mean(plain), ratios.size(), worst, source,
                   std::ranges::count_if(plain, [](double ratio) { return ratio > 2; }));
    }
}

void write_json(const Benchmark& all) {
    OutputFile file(all.json_file);
    const nlohmann::json json{{"machine", describe(this_machine())},
                              {"revision", this_build().revision},
                              {"values", all.values},
                              {"pause_milliseconds", all.pause_milliseconds},
                              {"matrices", all.json}};
    file.write(json.dump(2) + "\n");
    file.commit();
}

void add_options(CLI::App& app, Benchmark& all) {
    app.add_option("matrices", all.sources, "generator specifications or Matrix Market files");
    app.add_option("--suite", all.suite, "the generated matrices of a suite of `tilespmv bench`, beside those given");
    app.add_option("--operators", all.operators, "what is prepared, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    app.add_option("--values", all.values)
        ->check(CLI::IsMember(std::vector<std::string>(kValueNames.begin(), kValueNames.end())))
        ->capture_default_str();
    app.add_option("--pause", all.pause_milliseconds, "milliseconds before each sample")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--seconds", all.rule.max_seconds, "at most, for each thing that is timed, pauses included")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--json", all.json_file, "results as JSON go there");
    app.add_flag("--on-cpu", all.is_on_cpu, "operators of the CPU, over copies of CSR by one thread");
}

int run(Benchmark& all) {
    if (!all.suite.empty()) {
        for (const auto source : find_suite(all.suite).sources) all.sources.emplace_back(source);
    }
    if (all.sources.empty()) throw Error("no matrices, expected some or --suite", ExitCode::usage);
    check_operators(all);

    const std::unique_ptr<Device> device = all.is_on_cpu ? std::make_unique<CpuDevice>() : make_cuda_device();
    fmt::print("{:<52} {:>11} {:>9} {:>9}  {:<12} {:>9} {:>6} {:>6}  {}\n", "matrix", "nonzeros", "copy, us", "upload",
               "operator", "time, us", "copies", "upl.", "takes");
    for (const auto& source : all.sources) measure_or_tell(source, *device, all);
    print_means(all);
    if (!all.json_file.empty()) write_json(all);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Times the preparation of operators over an upload of CSR");
    Benchmark all;
    add_options(app, all);
    return run_program("preparation_benchmark", app, argc, argv, [&] { return run(all); });
}
