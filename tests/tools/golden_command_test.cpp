// Whole outputs of the other commands.
#include <cstdlib>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/golden.hpp"
#include "tests/tools/transcript.hpp"

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
    commands_.run("convert {}small.mtx -o {}small.mtx.gz");
    commands_.run("convert {}small.mtx -o {}copy.mtx --selector bytes");
    commands_.run("convert {}small.mtx -o {}copy.tsp --selector paper:dense=2");
    commands_.run("convert {}large.mtx -o {}copy.tsp --values float32");
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

/// Errors in units of their bounds depend on the order of sums, so on the machine.
TEST_F(GoldenCommand, Verify) {
    commands_.run("verify {}small.mtx --device cpu");
    commands_.run("convert {}small.mtx -o {}small.tsp --values float32 --selector only:csr");
    commands_.run("verify {}small.tsp --device cpu --operator tile-omp");
    commands_.run("verify {}small.mtx --device cpu --operator csr-omp --selector bytes --values float32");
    commands_.run(
        "verify {}small.mtx --device cpu --operator tile-omp --selector paper-tuned-deferred:coo=3,ell=0.5,dense=0.9");
    commands_.run("verify {}empty.mtx --device cpu --selector bytes");
    commands_.run("verify {}small.mtx --device cpu --operator magic");
    commands_.run("verify {}small.mtx --device cpu --selector magic");
    commands_.run("verify {}small.mtx --device cpu --operator csr-omp:threads=all");
    commands_.run("verify {}missing.mtx --device cpu");
    const std::regex ratio(R"((\n(?:reference|csr-omp|tile-omp) [^\n]* ok    ) *[0-9.e+-]+(?=\n))");
    expect_golden("verify.txt", std::regex_replace(text(), ratio, "$1 {*}"));
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

std::string info(const std::string& arguments) {
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    CLI::App app{"test", "tilespmv"};
    add_info(app);
    ::testing::internal::CaptureStdout();
    app.parse("info" + arguments);
    std::fflush(stdout);
    return ::testing::internal::GetCapturedStdout();
}

TEST(GoldenInfo, Text) { expect_golden("info.txt", same_everywhere(info(""))); }

/// Of the build and the machine the keys and what kind of values they have; of the generators the first.
TEST(GoldenInfo, Json) {
    auto json = nlohmann::ordered_json::parse(info(" --json"));
    for (const auto* part : {"build", "machine"}) {
        for (auto& [key, value] : json[part].items()) {
            if (key != "values") value = value.type_name();
        }
    }
    EXPECT_EQ(json["version"], TILESPMV_VERSION);
    EXPECT_GT(json["generators"].size(), 1u);
    json["version"] = json["gpu"] = json["gpu_operators"] = "{*}";
    const auto first = json["generators"].begin();
    json["generators"] = {{first.key(), first.value()}};
    expect_golden("info.json", json.dump(2) + '\n');
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
    for (const auto add :
         {add_convert, add_stats, add_spmv, add_verify, add_generate, add_bench, add_compare, add_plot, add_info}) {
        add(app);
    }
    std::string text;
    for (const auto* command : app.get_subcommands({})) text += options_text(*command);
    expect_golden("options.txt", text);
}

}  // namespace
}  // namespace tilespmv::tools
