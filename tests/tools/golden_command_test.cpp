// Whole outputs of the other commands.
#include <cstdlib>
#include <regex>

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "formats/list.hpp"
#include "kernels/cpu/vectors.hpp"
#include "selector/auto/features_of.hpp"
#include "selector/policy.hpp"
#include "tests/support/lists.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"
#include "tests/tools/golden.hpp"
#include "tests/tools/transcript.hpp"
#include "tile/archive/archive.hpp"
#include "tile/generate/generate.hpp"
#include "tools/commands/command.hpp"
#include "tools/explain/explanation.hpp"
#include "tools/options/value_type.hpp"
#include "tools/text/gpu_text.hpp"
#include "tools/verify/verify.hpp"

namespace tilespmv::tools {
namespace {

using test::expect_golden;
using test::Transcript;

constexpr const char* kSmall =
    "%%MatrixMarket matrix coordinate real general\n5 4 7\n1 1 2\n1 2 -7\n1 4 0.5\n2 2 7\n4 1 0.125\n5 3 0.25\n5 4 0\n";
constexpr const char* kVector = "%%MatrixMarket matrix array real general\n";

/// A small matrix, vectors for it, values that are not finite or leave a range, a matrix without values.
class GoldenCommand : public ::testing::Test {
protected:
    GoldenCommand() {
        const auto& directory = commands_.directory();
        directory.file("small.mtx", kSmall);
        directory.file("x4.mtx", std::string(kVector) + "4 1\n1\n2\n3\n4\n");
        directory.file("y5.mtx", std::string(kVector) + "5 1\n1\n-2\n3\n-4\n5\n");
        directory.file("inf.mtx", std::string(kVector) + "4 1\ninf\nnan\n1\n1\n");
        directory.file("large.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1e39\n");
        directory.file("nothing.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
        directory.file("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 3 0\n");
    }

    /// What was written down, with times as "{*} s".
    [[nodiscard]] std::string text() const {
        return std::regex_replace(commands_.text(), std::regex(R"([0-9]+\.[0-9]{3} s\b)"), "{*} s");
    }

    void show(const std::string& file) { files_ += file + ":\n" + test::content_of(commands_.path(file)); }

    Transcript commands_;
    std::string files_;
};

TEST_F(GoldenCommand, Spmv) {
    commands_.run("spmv {}small.mtx -x {}x4.mtx --device cpu");
    commands_.run("spmv {}small.mtx -x {}x4.mtx --operator csr-omp --values float32");
    commands_.run("spmv {}small.mtx -x {}x4.mtx --operator reference --alpha -2 --beta 0.5 --y {}y5.mtx");
    commands_.run("spmv {}small.mtx -x {}x4.mtx --selector only:csr --alpha 0");
    commands_.run("spmv {}small.mtx -x {}inf.mtx --selector only:hyb");
    commands_.run("spmv {}empty.mtx");
    commands_.run("spmv {}small.mtx -x {}x4.mtx --alpha 3 -o {}y.mtx");
    show("y.mtx");
    commands_.run("spmv {}small.mtx -x {}y5.mtx");
    commands_.run("spmv {}small.mtx -x {}x4.mtx --beta 1 --y {}x4.mtx");
    commands_.run("spmv {}small.mtx --values float32 --alpha 1e39");
    commands_.run("spmv {}small.mtx --values float32 --beta 1e-50 --y {}y5.mtx");
    commands_.run("spmv {}large.mtx --values float32");
    commands_.run("spmv {}small.mtx --operator csr-omp --selector bytes");
    commands_.run("spmv {}small.mtx --accumulate float32");
    commands_.run("spmv {}small.mtx --values float16");
    expect_golden("spmv.txt", text() + files_);
}

TEST_F(GoldenCommand, Explain) {
    const test::Threads threads(2);
    cpu::hold_vectors(cpu::vector_sets().back());  // which cost the same on every processor
    commands_.run("explain gen:fem:n=8,dof=6 --device cpu");
    commands_.run("explain gen:fem:n=8,dof=6 --device cpu --products 1 --values float32 --json -");
    commands_.run("explain {}small.mtx --device cpu --products 10");
    commands_.run("explain {}empty.mtx --device cpu");
    commands_.run("explain {}small.mtx --device cpu --values float16");
    commands_.run("explain {}nothing.mtx --device cpu");
    cpu::hold_vectors(cpu::vector_sets().front());
    expect_golden("explain.txt",
                  std::regex_replace(text(), std::regex("cpu, 2 threads, [a-z0-9]+"), "cpu, 2 threads, SET"));
}

/// For the GPU that was measured, whatever there is here.
TEST(GoldenExplain, Gpu) {
    std::string text;
    for (const char* generator : {"fem:n=24,dof=6", "arrow:n=20000", "laplace2d:n=100", "rmat:scale=14",
                                  "block-dense:n=16000,block=16,blocks_per_row=32"}) {
        Explanation e;
        e.matrix = generator;
        e.values = "float64";
        e.sums = "float64";
        e.device = "NVIDIA H200";
        e.costs = &gpu_costs();
        e.question.features = features_of(pattern_of(generate<double>(generator)));
        e.question.gpu = measured_gpu(8);
        e.ranked = rank_operators(e.question);
        text += explanation_text(e) + '\n';
    }
    expect_golden("explain_gpu.txt", text);
}

TEST_F(GoldenCommand, ConvertAndGenerate) {
    commands_.run("convert {}small.mtx -o {}small.tsp");
    commands_.run("convert {}small.tsp -o {}back.mtx --values float32");
    show("back.mtx");
    commands_.run("convert gen:laplace2d:n=20 -o {}grid.tsp --selector paper-deferred");
    commands_.run("convert {}grid.tsp -o {}single.tsp --values float32");
    commands_.run("convert {}empty.mtx -o {}empty.tsp");
    commands_.run("convert {}empty.tsp -o {}none.mtx");
    show("none.mtx");
    commands_.run("generate laplace2d:n=3 -o {}grid.mtx");
    show("grid.mtx");
    commands_.run("generate rmat:scale=10,seed=3 -o {}rmat.tsp --values float32");
    commands_.run("convert {}small.mtx -o {}small.txt");
    commands_.run("convert {}small.mtx -o {}small.tsp.gz");
    commands_.run("convert {}small.mtx -o {}copy.mtx --selector bytes");
    commands_.run("convert {}small.mtx -o {}copy.tsp --selector paper:dense=2");
    commands_.run("convert {}large.mtx -o {}copy.tsp --values float32");
    commands_.run("convert {}large.mtx -o {}large.tsp");
    commands_.run("convert {}large.tsp -o {}copy.tsp --values float32");
    commands_.run("convert {}large.tsp -o {}copy.mtx --values float16");
    TileMatrix<double> tall;
    tall.rows = 200'000'000;
    tall.cols = 3;
    write_archive(commands_.path("tall.tsp"), tall, formats::format_table());
    commands_.run("convert {}tall.tsp -o {}copy.mtx");
    commands_.run("convert {}missing.mtx -o {}copy.tsp");
    commands_.run("convert {}small.mtx -o {}no/copy.tsp");
    commands_.run("generate laplace2d -o {}grid.txt");
    commands_.run("generate laplace4d -o {}grid.mtx");
    commands_.run("generate laplace2d:n=0 -o {}grid.mtx");
    expect_golden("convert.txt", text() + files_);
}

TEST_F(GoldenCommand, GeneratorList) {
    commands_.run("generate --list");
    expect_golden("generate_list.txt", text());
}

/// Those of the operators and selectors in a table of `verify`.
std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    std::istringstream in(text);
    const std::regex row("(round trip|[^ ]+) +([^ ]+) +ok .*");
    for (std::string line; std::getline(in, line);) {
        std::smatch parts;
        if (std::regex_match(line, parts, row) && parts[1] != "all") names.push_back(parts.format("$1 $2"));
    }
    return names;
}

TEST_F(GoldenCommand, VerifyChecksEveryOperatorOnEverySelector) {
    commands_.run("verify {}small.mtx --device cpu");
    std::vector<std::string> expected;
    for (const auto& info : operators<double>(Backend::cpu)) {
        if (!info.only_if_named && info.made_from == Form::csr) expected.push_back(fmt::format("{} -", info.name));
    }
    for (const auto& selector : selectors()) {
        expected.push_back(fmt::format("round trip {}", selector.name));
        for (const auto& info : operators<double>(Backend::cpu)) {
            if (info.made_from == Form::tiles) expected.push_back(fmt::format("{} {}", info.name, selector.name));
        }
    }
    EXPECT_EQ(names_in(commands_.text()), expected);
    EXPECT_GE(expected.size(), 34u);
}

/// A text of `verify` without the rows of selectors other than `bytes`, and without numbers of cases.
std::string of_one_selector(const std::string& text) {
    std::string kept;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const bool is_other = std::ranges::any_of(selectors(), [&](const SelectorInfo& info) {
            return info.name != "bytes" && line.find(fmt::format(" {} ", info.name)) != std::string::npos;
        });
        if (!is_other || line.starts_with('$')) kept += line + '\n';
    }
    return std::regex_replace(kept, std::regex("all [0-9]+ cases"), "all {*} cases");
}

TEST_F(GoldenCommand, Verify) {
    commands_.run("verify {}small.mtx --device cpu --operator csr-omp --operator tile-omp");
    commands_.run("convert {}small.mtx -o {}small.tsp --values float32 --selector only:csr");
    commands_.run("verify {}small.tsp --device cpu --operator tile-omp");
    commands_.run("verify {}small.mtx --device cpu --operator csr-omp --selector bytes --values float32");
    commands_.run(
        "verify {}small.mtx --device cpu --operator tile-omp --selector paper-tuned-deferred:coo=3,ell=0.5,dense=0.9");
    commands_.run("verify {}empty.mtx --device cpu --selector bytes --operator csr-omp --operator tile-omp");
    commands_.run("verify {}small.mtx --device cpu --operator magic");
    commands_.run("verify {}small.mtx --device cpu --selector magic");
    commands_.run("verify {}small.mtx --device cpu --operator csr-omp:threads=all");
    commands_.run("verify {}missing.mtx --device cpu");
    // Errors in units of their bounds depend on the order of sums, so on the machine.
    const std::regex ratio(R"((\n(?:csr-omp|tile-omp|strip-omp) [^\n]* ok    ) *[0-9.e+-]+(?=\n))");
    expect_golden("verify.txt", std::regex_replace(of_one_selector(text()), ratio, "$1 {*}"));
}

TEST(GoldenVerify, CasesThatAreNotRight) {
    using Outcome = VerifyCase::Outcome;
    const VerifyWidths widths{10, 12};
    std::string text = verify_header(widths);
    for (const VerifyCase& one :
         {VerifyCase{"csr-omp", "", Outcome::ok, 0.256},
          VerifyCase{"tile-omp", "bytes", Outcome::wrong, 12345.6, "row 3\n"},
          VerifyCase{"tile-omp", "only:coo", Outcome::wrong, std::numeric_limits<double>::infinity(), "row 4"},
          VerifyCase{"round trip", "a longer name", Outcome::failed, 0, "out of memory"}}) {
        text += verify_line(one, widths);
    }
    expect_golden("verify_wrong.txt", text);
}

/// Tiles of other matrices than the one that they are checked against.
TEST(GoldenVerify, RoundTrips) {
    const CsrMatrix<double> a{2, 3, {0, 1, 2}, {0, 2}, {1.0, 2.0}};
    std::string text;
    Verifier<double> verifier(a, {}, 1, [&](const VerifyCase& one) { text += verify_line(one, {10, 10}); });
    const auto check = [&](const char* label, const CsrMatrix<double>& other) {
        verifier.check_tiles(label, convert(other, *make_policy("bytes")));
    };
    check("same", a);
    check("rows", {3, 3, {0, 1, 2, 2}, {0, 2}, {1.0, 2.0}});
    check("cols", {2, 4, {0, 1, 2}, {0, 2}, {1.0, 2.0}});
    check("nonzeros", {2, 3, {0, 1, 1}, {0}, {1.0}});
    check("column", {2, 3, {0, 1, 2}, {0, 1}, {1.0, 2.0}});
    check("row", {2, 3, {0, 0, 2}, {0, 2}, {1.0, 2.0}});
    check("value", {2, 3, {0, 1, 2}, {0, 2}, {1.0, -2.5}});
    text += fmt::format("{} cases\n", verifier.cases()) + test::message_of([&] { verifier.require_ok(); }) + '\n';
    expect_golden("verify_round_trips.txt", text);
}

/// Lines about the build and the machine with what comes before their texts only.
std::string same_everywhere(const std::string& info) {
    std::istringstream in(info);
    std::string text;
    bool of_gpu = false;
    for (std::string line; std::getline(in, line);) {
        static const std::regex varies("(tilespmv|(?:compiler|SIMD|CPU|memory|system|GPU) *) .*");
        if (line.starts_with("           ")) continue;  // more about the GPU
        if (line.empty()) of_gpu = false;
        if (line == "operators for the GPU (--device cuda)") of_gpu = true;
        if (of_gpu) continue;
        text += std::regex_replace(line, varies, "$1 {*}") + '\n';
    }
    return test::replaced(text, "\n\n\n", "\n\n");
}

/// The lines of a list in the text of `info`.
template <class Table>
std::string lines_of(const Table& table) {
    std::string lines;
    for (const auto& entry : table) lines += fmt::format("  {:<20} {}\n", entry.name, entry.summary);
    return lines;
}

/// A list of `info` with one of its entries alone.
nlohmann::ordered_json only(const nlohmann::ordered_json& list, const char* name) { return {{name, list.at(name)}}; }

std::string info(const std::string& arguments) {
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    CLI::App app{"test", "tilespmv"};
    add_info(app);
    ::testing::internal::CaptureStdout();
    app.parse("info" + arguments);
    std::fflush(stdout);
    return ::testing::internal::GetCapturedStdout();
}

TEST(GoldenInfo, Text) {
    std::string text = test::replaced(info(""), test::format_names(" "), "{formats}");
    text = test::replaced(text, lines_of(selectors()), "{selectors}\n");
    text = test::replaced(text, lines_of(operators<double>(Backend::cpu)), "{operators}\n");
    expect_golden("info.txt", same_everywhere(text));
}

/// Of the build and the machine the keys and what kind of values they have; of lists that grow the first.
TEST(GoldenInfo, Json) {
    auto json = nlohmann::ordered_json::parse(info(" --json -"));
    for (const auto* part : {"build", "machine"}) {
        for (auto& [key, value] : json[part].items()) {
            if (key != "values") value = value.type_name();
        }
    }
    EXPECT_EQ(json["version"], TILESPMV_VERSION);
    EXPECT_EQ(json["formats"].size(), formats::format_table().size());
    EXPECT_EQ(json["selectors"].size(), selectors().size());
    EXPECT_EQ(json["operators"].size(), operators<double>(Backend::cpu).size());
    EXPECT_GT(json["generators"].size(), 1u);
    json["version"] = json["gpu"] = json["gpu_operators"] = "{*}";
    json["formats"] = {json["formats"][0]};
    json["selectors"] = only(json["selectors"], "paper");
    json["operators"] = only(json["operators"], "reference");
    json["generators"] = only(json["generators"], "laplace2d");
    expect_golden("info.json", json.dump(2) + '\n');
}

TEST(GoldenInfo, Gpu) {
    const nlohmann::ordered_json gpu{{"name", "Some GPU"},
                                     {"compute_capability", 90},
                                     {"compiled_for", 80},
                                     {"multiprocessors", 132},
                                     {"warps_per_multiprocessor", 64},
                                     {"registers_per_multiprocessor", 65536},
                                     {"shared_bytes_per_multiprocessor", 233472},
                                     {"l2_bytes", 52'953'088},
                                     {"memory_bytes", 84'929'609'728},
                                     {"driver", 13020},
                                     {"runtime", 12080},
                                     {"read_bytes_per_s", 3.0121e12},
                                     {"copy_bytes_per_s", 2.8004e12}};
    EXPECT_EQ(gpu_text(gpu),
              "GPU        Some GPU, compute capability 9.0, 132 multiprocessors, 80995 MiB\n"
              "           L2 50.5 MiB; per multiprocessor 228 KiB shared memory, 65536 registers, 64 warps\n"
              "           memory bandwidth, measured: read 3012, copy 2800 GB/s\n"
              "           CUDA driver 13.2, runtime 12.8; kernels compiled for compute capability 8.0\n");
    EXPECT_EQ(gpu_text({{"error", "no usable GPU: none"}}), "GPU        no usable GPU: none\n");
}

TEST(ValueTypes, UnknownOnesAreRefused) {
    EXPECT_EQ(test::message_of([] { with_value_type("float8", []<Value V>() {}); }),
              "2: unknown value type 'float8'; there are float64, float32, float16, bfloat16");
}

/// What the help of a command is made of.
std::string options_text(const CLI::App& command) {
    std::string text = fmt::format("{}: {}\n", command.get_name(), command.get_description());
    for (const auto* option : command.get_options()) {
        text += fmt::format("  {}{}{}{}\n", option->get_name(true, true),
                            option->get_type_name().empty() ? "" : " " + option->get_type_name(),
                            option->get_default_str().empty() ? "" : " = " + option->get_default_str(),
                            option->get_required() ? ", required" : "");
        text += fmt::format("    {}\n", option->get_description());
    }
    return text + command.get_footer() + "\n\n";
}

TEST(GoldenHelp, Options) {
    CLI::App app{"test", "tilespmv"};
    for (const auto add : {add_convert, add_stats, add_spmv, add_verify, add_generate, add_bench, add_info}) {
        add(app);
    }
    std::string text;
    for (const auto* command : app.get_subcommands({})) text += options_text(*command);
    expect_golden("options.txt", text);
}

}  // namespace
}  // namespace tilespmv::tools
