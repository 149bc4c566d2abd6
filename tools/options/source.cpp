#include "tools/options/source.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tile/io/printable.hpp"
#include "tools/options/seconds.hpp"
#include "tools/options/value_type.hpp"
#include "tools/terminal/status_line.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

InputLimits limits;

/// f(options) with the command's limits, progress and warnings.
template <class F>
auto load(const std::string& source, PatternValues values, ReadNotes* notes, F&& f) {
    using Clock = std::chrono::steady_clock;
    constexpr auto interval = std::chrono::milliseconds(100);
    StatusLine status;
    auto next = Clock::now() + interval;  // quick work shows nothing
    const auto show = [&](double share) {
        if (Clock::now() < next) return;
        next = Clock::now() + interval;
        status.show(fmt::format("reading {} {:3.0f}%", source_name(source), 100 * share));
    };
    ReadNotes read;
    auto loaded = f(
        LoadOptions{.pattern_values = values, .limits = limits, .progress = show, .notes = &read, .open = open_input});
    show_warnings(read);
    if (notes != nullptr) *notes = std::move(read);
    return loaded;
}

/// Of what is stored as it is.
LoadOptions as_stored() { return {.limits = limits, .open = open_input}; }

}  // namespace

void lift_input_limits() { limits = InputLimits::none(); }
const InputLimits& input_limits() { return limits; }

Input open_input(const std::string& file) {
    static std::map<std::string, Input> streams;
    const auto known = streams.find(file);
    if (known != streams.end()) return known->second;
    const Input input{std::filesystem::path(file)};
    if (input.is_stream()) streams.emplace(file, input);
    return input;
}

Form stored_form(const std::string& source) { return tilespmv::stored_form(source, as_stored()); }

std::string value_type_for(const std::string& source, const std::string& requested) {
    if (!requested.empty()) return requested;
    const std::string stored = stored_value_type(source, as_stored());
    return stored.empty() ? std::string(value_name<double>()) : stored;
}

template <Value V>
Source<V> load_source(const std::string& source) {
    return load(source, PatternValues::ones, nullptr,
                [&](const LoadOptions& options) { return tilespmv::load_source<V>(source, options); });
}

template <Value V>
CsrMatrix<V> load_csr(const std::string& source, PatternValues values, ReadNotes* notes) {
    return load(source, values, notes,
                [&](const LoadOptions& options) { return tilespmv::load_csr<V>(source, options); });
}

void show_warnings(const ReadNotes& notes) {
    static std::set<std::string> shown;
    for (const auto& warning : notes.warnings) {
        if (shown.insert(warning).second) fmt::print(stderr, "tilespmv: warning: {}\n", printable(warning));
    }
}

template <Value V>
TileMatrix<V> load_tiles(const std::string& source, const std::string& selector, LoadTimes* times) {
    const auto policy = make_policy(selector.empty() ? kDefaultSelector : selector);
    const bool is_stored = selector.empty() && stored_form(source) == Form::tiles;
    LoadTimes spent;
    TileMatrix<V> tiles;
    if (is_stored) {
        spent.read = seconds([&] { tiles = tilespmv::load_tiles<V>(source, as_stored()); });
    } else {
        CsrMatrix<V> csr;
        spent.read = seconds([&] { csr = load_csr<V>(source); });
        spent.convert = seconds([&] { tiles = convert(csr, *policy); });
    }
    if (times) *times = spent;
    return tiles;
}

std::string source_name(const std::string& source) {
    if (is_generator(source)) return printable(source.substr(source.find(':') + 1));
    std::filesystem::path name = std::filesystem::path(source).filename();
    constexpr std::array<std::string_view, 7> suffixes{".gz", ".bz2", ".xz", ".zst", ".tar", ".mtx", ".tsp"};
    for (const auto suffix : suffixes) {
        if (name.extension() == suffix) name = name.stem();
    }
    return printable(name.string());
}

std::string describe_size(index_t rows, index_t cols, offset_t nnz) {
    return fmt::format("{} x {}, {} nonzeros", grouped(rows), grouped(cols), grouped(nnz));
}

#define TILESPMV_INSTANTIATE(V)                                                       \
    template Source<V> load_source<V>(const std::string&);                            \
    template CsrMatrix<V> load_csr<V>(const std::string&, PatternValues, ReadNotes*); \
    template TileMatrix<V> load_tiles<V>(const std::string&, const std::string&, LoadTimes*);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
