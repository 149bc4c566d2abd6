// Reading Matrix Market files of 20 entries a row: bytes of text per second, also per second of processor time
// ("per_core", which other load on the machine disturbs less), and peak memory as a share of file + 2 x CSR.
//
//     TILESPMV_READ_ENTRIES=20000000 read_benchmark --benchmark_filter=real/rows --benchmark_repetitions=3
//
// Benchmarks are named VALUES/ORDER/THREADS; without the variable the files have 2 million entries. The first
// repetition can be slow, while the system still writes the file to the disk; the median is what counts.
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <omp.h>
#include <unistd.h>

#include "tile/io/output_file.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tilespmv;

enum class Values { real, integer, pattern };
enum class Order { rows, columns, shuffled };
constexpr const char* kValues[] = {"real", "integer", "pattern"};
constexpr const char* kOrders[] = {"rows", "columns", "shuffled"};

constexpr std::int64_t kPerRow = 20;

std::int64_t rows_wanted() {
    const char* entries = std::getenv("TILESPMV_READ_ENTRIES");
    return (entries != nullptr ? std::atoll(entries) : 2'000'000) / kPerRow;
}

std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

void append_value(fmt::memory_buffer& text, Values values, std::uint64_t random) {
    auto out = fmt::appender(text);
    if (values == Values::real) fmt::format_to(out, " {:.17g}", static_cast<double>(random >> 11) * 0x1p-50 - 4);
    if (values == Values::integer) fmt::format_to(out, " {}", random % 10);
    text.push_back('\n');
}

/// Twenty entries a row, each at a random place of its twentieth of the row.
void write_file(const fs::path& file, Values values, Order order, std::int64_t rows) {
    const std::int64_t entries = rows * kPerRow;
    constexpr std::int64_t stride = 982451653;  // a prime that visits every entry once
    OutputFile out(file);
    out.write(fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n", kValues[int(values)], rows, rows,
                          entries));
    fmt::memory_buffer text;
    for (std::int64_t i = 0; i < entries; ++i) {
        const std::int64_t k = order == Order::shuffled ? i * stride % entries : i;
        const std::uint64_t random = scramble(static_cast<std::uint64_t>(k) + 1);
        const std::int64_t block = rows / kPerRow;
        std::int64_t row = k / kPerRow + 1;
        std::int64_t col =
            k % kPerRow * block + static_cast<std::int64_t>(random % static_cast<std::uint64_t>(block)) + 1;
        if (order == Order::columns) std::swap(row, col);
        fmt::format_to(fmt::appender(text), "{} {}", row, col);
        append_value(text, values, scramble(random));
        if (text.size() > 1 << 20 || i + 1 == entries) {
            out.write(std::string_view(text.data(), text.size()));
            text.clear();
        }
    }
    out.commit();
}

/// Peak of the resident memory since `reset_peak`, in bytes.
double peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
    }
    return 0;
}
void reset_peak() {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
}

/// The file of the benchmark that runs, removed when another needs its own.
const fs::path& input_file(Values values, Order order) {
    struct File {
        fs::path path = fs::temp_directory_path() / fmt::format("tilespmv-read-{}.mtx", getpid());
        std::pair<Values, Order> content{Values::real, Order::rows};
        File() = default;
        File(const File&) = delete;
        File& operator=(const File&) = delete;
        ~File() { fs::remove(path); }
    };
    static File file;
    if (file.content != std::pair(values, order) || !fs::exists(file.path))
        write_file(file.path, values, order, rows_wanted());
    file.content = {values, order};
    return file.path;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure_read(benchmark::State& state, Values values, Order order, int threads) {
    const auto& file = input_file(values, order);
    const auto file_bytes = static_cast<double>(fs::file_size(file));
    omp_set_num_threads(threads);
    double worst_peak = 0;
    double processor = 0;
    for (auto _ : state) {
        state.PauseTiming();
        reset_peak();
        const double before = peak_memory();
        processor -= processor_seconds();
        state.ResumeTiming();
        auto a = read_matrix_market<double>(file);
        state.PauseTiming();
        processor += processor_seconds();
        const auto csr_bytes = static_cast<double>(a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes());
        worst_peak = std::max(worst_peak, (peak_memory() - before) / (file_bytes + 2 * csr_bytes));
        a = {};
        state.ResumeTiming();
    }
    const double bytes = static_cast<double>(state.iterations()) * file_bytes;
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
    state.counters["per_core"] =
        benchmark::Counter(bytes / processor, benchmark::Counter::kDefaults, benchmark::Counter::kIs1000);
    state.counters["file_MB"] = file_bytes * 1e-6;
    state.counters["peak/bound"] = worst_peak;
}

}  // namespace

int main(int argc, char** argv) {
    for (const auto values : {Values::real, Values::integer, Values::pattern}) {
        for (const auto order : {Order::rows, Order::columns, Order::shuffled}) {
            for (int threads = 1; threads <= omp_get_num_procs(); threads *= 2) {
                const auto name = fmt::format("{}/{}/{}", kValues[int(values)], kOrders[int(order)], threads);
                benchmark::RegisterBenchmark(name.c_str(), measure_read, values, order, threads)
                    ->UseRealTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
