// Profiles, times of trials and results from hostile hands: any bytes, and valid ones that were spoilt. Reading gives
// an `Error` of one line, or what can be used: to choose by, to show, to draw, to go on with.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "kernels/auto/tune_cache.hpp"
#include "selector/models/profile_file.hpp"
#include "selector/models/solver_model.hpp"
#include "tests/bench/sample_results.hpp"
#include "tests/fuzz/json_mutator.hpp"
#include "tests/fuzz/json_shown.hpp"
#include "tests/fuzz/sample_profile.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::test {
namespace {

namespace fs = std::filesystem;

/// The matrix that operators are chosen for.
const CsrMatrix<double>& matrix() {
    static const CsrMatrix<double> a = generate<double>("laplace2d:n=12");
    return a;
}

void choose_by(const Profile& profile, const MatrixFeatures& features, offset_t products) {
    OperatorQuestion question = question_on(profile.probe, features);
    question.products = products;
    rank_for_trial(question, profile);
    show_choice(question, rank_operators(question, profile), rank_operators(question));
}

void choose_by(const Profile& profile) {
    MatrixFeatures features = features_of(pattern_of(matrix()));
    features.sum_bytes = 8;
    for (const offset_t products : {0, 1}) choose_by(profile, features, products);
    features.rows = features.cols = 3'000'000;
    features.nnz = 40'000'000;
    features.value_bytes = 4;
    choose_by(profile, features, 0);
    decides(profile, features.sizes());
    if (const auto* const small = find_small_model(profile.small_models, pattern_of(matrix())))
        choose_operator(pattern_of(matrix()), 1, *small);
    for (const std::size_t n : {1u, 5000u, 10'000'000u}) {
        ChosenShapes shapes;
        choose_vector_shapes(profile, n, 8, shapes);
        for (const auto& [kernel, one] : shapes) blocks_for(one.shape, n);
    }
    const auto machine =
        with_measured_rates(gpu_solver_machine(question_on(profile.probe, features).gpu
                                                   ? question_on(profile.probe, features).gpu->tuning.memory
                                                   : MemoryTuning{}),
                            profile.probe);
    choose_recurrence({.rows = 1e6, .value_bytes = 8, .matrix_bytes = 1e8}, machine);
}

void go_on_with(Profile profile) {
    for (const auto& kernel : profile.vectors) plan_of_measurements(kernel.work, profile.probe);
    fit_models(profile);
    require(parse_profile(profile_text(profile), "fitted") == profile, "what was fitted anew cannot be read");
}

void use_profile(const fs::path& file) {
    const Profile profile = read_profile(file);
    require(parse_profile(profile_text(profile), "written") == profile, "a profile is another one after writing it");
    choose_by(profile);
    show(profile);
    go_on_with(profile);
    parse_profile(profile_text(without_measurements(profile)), "models");
}

void use_results(const fs::path& file) {
    const bench::ResultSet set = bench::read_results(file);
    const std::string text = results_json(set);
    std::ofstream(file, std::ios::trunc) << text;
    require(results_json(bench::read_results(file)) == text, "results are others after writing them");
    show(set);
}

const TuneKey kKey{"0123", "float64", "float64", "a GPU", "csr"};

void use_cache(const fs::path& file) {
    std::FILE* const errors = std::exchange(stderr, std::fopen("/dev/null", "w"));  // warnings
    const TuneCache cache(file);
    const auto before = cache.find(kKey);
    cache.store(kKey, {{"csr16", 2e-5}});
    const auto after = cache.find(kKey);
    std::fclose(std::exchange(stderr, errors));
    for (const auto& [name, seconds] : before) require(seconds > 0, "a time that is none");
    require(after.empty() || after.at("csr16") == 2e-5, "what was stored is not found");
}

template <class Use>
void use_if_valid(Use&& use, const fs::path& file) {
    try {
        use(file);
    } catch (const Error& error) {
        require(std::string_view(error.what()).find('\n') == std::string_view::npos, error.what());
        require(std::string_view(error.what()).find(file.string()) == 0, error.what());  // else it was said by a use
    }
}

std::string sample_cache(const TemporaryDirectory& directory) {
    const fs::path file = directory.path() / "sample.json";
    TuneCache(file).store(kKey, {{"csr-merge", 1e-5}, {"ell", 3e-5}});
    return content_of(file);
}

std::string sample_results() {
    bench::ResultSet set;
    set.machine.cpu = "Some CPU";
    for (const auto* name : {"csr-omp", "csr-scalar", "csr-vector", "csr-vector:threads=2", "csr-vector:threads=8",
                             "csr-adaptive", "csr-adaptive:threads=64"}) {
        set.results.push_back(bench::sample_result("a.mtx", {1e-5, 2e-5, 3e-5}));
        set.results.back().id.operator_name = name;
        set.results.back().id.selector = "";
    }
    for (const auto* selector : {"paper-csr", "paper-adaptive", "paper-deferred", "only:coo"}) {
        for (const auto* name : {"a.mtx", "b.mtx"}) {
            set.results.push_back(bench::sample_result(name, {1e-5, 2e-5}));
            set.results.back().id.selector = selector;
            set.results.back().graph = {.seconds = {1e-5}};
        }
    }
    return results_json(set);
}

/// With few launches of a kernel over vectors: to fit all takes most of the time.
Profile gpu_profile() {
    Profile profile = sample_profile({.kernels = 1, .operators = 2, .matrices = 5});
    std::erase_if(profile.vectors[0].points, [](const VectorPoint& point) {
        return point.n > 6000 || point.shape.threads > 256 || point.shape.elements > 2;
    });
    fit_models(profile);
    return profile;
}

/// As the library carries them.
Profile carried_profile() {
    return without_measurements(sample_profile({.kernels = 1, .operators = 3, .matrices = 40}));
}

Profile cpu_profile() {
    Profile profile = sample_profile({.kernels = 0, .operators = 3, .matrices = 6});
    profile.probe.is_gpu = false;
    fit_models(profile);
    return profile;
}

struct Sample {
    std::string text;
    void (*use)(const fs::path&);
};

/// A valid file of each kind, spoilt as `seed` says.
void use_spoilt_samples(std::uint64_t seed, const fs::path& file) {
    static const TemporaryDirectory directory;
    static const std::array<Sample, 5> samples{{{profile_text(gpu_profile()), use_profile},
                                                {profile_text(carried_profile()), use_profile},
                                                {profile_text(cpu_profile()), use_profile},
                                                {sample_results(), use_results},
                                                {sample_cache(directory), use_cache}}};
    JsonMutator mutator(seed);
    const Sample& sample = samples[mutator.below(samples.size())];
    std::ofstream(file, std::ios::trunc) << mutator.mutate(sample.text);
    use_if_valid(sample.use, file);
}

void require_little_memory() {
    constexpr long most = 4L << 20;  // kB, AddressSanitizer's own included
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    require(usage.ru_maxrss < most, "an input takes too much memory");
}

}  // namespace
}  // namespace tilespmv::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilespmv::test;
    static const TemporaryDirectory directory;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto file = directory.file("input.json", bytes);
    for (const auto use : {use_profile, use_results, use_cache}) use_if_valid(use, file);
    use_spoilt_samples(std::hash<std::string_view>()(bytes), file);
    require_little_memory();
    return 0;
}
