#include "tools/options/source.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "kernels/strip/archive.hpp"
#include "kernels/strip/strip.hpp"
#include "selector/policy.hpp"
#include "tile/archive/archive.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"
#include "tile/generate/random.hpp"
#include "tile/io/printable.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tile/parallel.hpp"
#include "tile/value_range.hpp"
#include "tools/options/seconds.hpp"
#include "tools/options/value_type.hpp"
#include "tools/terminal/progress.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::string_view kGeneratorPrefix = "gen:";

bool is_generator(std::string_view source) { return source.starts_with(kGeneratorPrefix); }

InputLimits limits;

template <Value To, Value From>
CsrMatrix<To> cast_values(CsrMatrix<From> a) {
    if constexpr (std::same_as<To, From>) {
        return a;
    } else {
        return convert_values<To>(a);
    }
}

template <Value To, Value From>
Buffer<To> cast_values(Buffer<From> values) {
    if constexpr (std::same_as<To, From>) {
        return values;
    } else {
        Buffer<To> out(values.size());
        std::transform(values.begin(), values.end(), out.begin(), [](From v) { return static_cast<To>(widened(v)); });
        return out;
    }
}

template <Value To, Value From>
bool leave_range(const Buffer<From>& values) {
    return std::ranges::any_of(values, [](From v) { return leaves_range<To>(widened(v)); });
}

/// The same tiles with other values: index bytes do not depend on the value type.
template <Value To, Value From>
TileMatrix<To> cast_values(TileMatrix<From> a) {
    if (leave_range<To>(a.values) || leave_range<To>(a.deferred.values)) {
        static_cast<void>(convert_values<To>(unpack(a)));  // throws, with the place
    }
    auto& d = a.deferred;
    return {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz,
            .tile_rows = std::move(a.tile_rows),
            .tile_ptrs = std::move(a.tile_ptrs),
            .value_ptrs = std::move(a.value_ptrs),
            .index_ptrs = std::move(a.index_ptrs),
            .tiles = std::move(a.tiles),
            .values = cast_values<To>(std::move(a.values)),
            .indices = std::move(a.indices),
            .deferred = {std::move(d.row_ids), std::move(d.row_ptrs32), std::move(d.row_ptrs64), std::move(d.col_idxs),
                         cast_values<To>(std::move(d.values))}};
}

/// The same strips with other values, as a GPU loads those.
template <Value To, Value From>
StripMatrix<To> cast_values(StripMatrix<From> m) {
    if constexpr (std::same_as<To, From>) return m;
    if (leave_range<To>(m.values) || leave_range<To>(m.rest.values)) {
        static_cast<void>(convert_values<To>(to_csr(m)));  // throws, with the place
    }
    const int together = cuda::StripLimits{.value_bytes = sizeof(To)}.together;
    auto values = rearranged(m.strips, cast_values<To>(std::move(m.values)), together);
    m.strips.value_bytes = sizeof(To);
    m.strips.together = together;
    return {m.rows, m.cols, m.nnz, std::move(m.strips), std::move(values), cast_values<To>(std::move(m.rest))};
}

/// Calls f, whose errors know the place in the matrix but not its name.
template <class F>
auto about(const std::string& source, F&& f) {
    try {
        return f();
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", source, error.what()), error.code());
    }
}

/// Refuses an archive whose rows and columns take much more memory than it holds.
void require_backed_size(const Input& input, index_t rows, index_t cols) {
    limits.require_backed(input.file().string(), rows, cols, input.bytes().size());
}

bool holds_archive(const std::string& source) { return !is_generator(source) && is_archive(open_input(source)); }

/// What an archive holds, tiles or strips. Throws `Error` for another kind.
Form form_in(const Input& input) {
    const std::string kind = archive_kind(input);
    if (kind == kStripKind) return Form::strips;
    if (kind == kTileKind) return Form::tiles;
    throw Error(fmt::format("{}: holds a matrix of the kind '{}', which this program does not know",
                            input.file().string(), kind));
}

template <Value Stored>
TileMatrix<Stored> open_tiles(const Input& input) {
    auto tiles = open_archive<Stored>(input, formats::format_table());
    require_backed_size(input, tiles.rows, tiles.cols);
    return tiles;
}

template <Value Stored>
StripMatrix<Stored> open_checked_strips(const Input& input) {
    auto strips = open_strips<Stored>(input);
    require_backed_size(input, strips.rows, strips.cols);
    return strips;
}

/// f.operator()<Stored>(input) for an archive with values of that type.
template <class F>
auto with_archive(const std::string& source, F&& f) {
    const Input input = open_input(source);
    return with_value_type(archive_value_type(input),
                           [&]<Value Stored>() { return f.template operator()<Stored>(input); });
}

template <Value V>
TileMatrix<V> load_stored_tiles(const std::string& source) {
    return with_archive(source, [&]<Value Stored>(const Input& input) {
        auto tiles = open_tiles<Stored>(input);
        return about(source, [&] { return cast_values<V>(std::move(tiles)); });
    });
}

template <Value V>
StripMatrix<V> load_stored_strips(const std::string& source) {
    return with_archive(source, [&]<Value Stored>(const Input& input) {
        auto strips = open_checked_strips<Stored>(input);
        return about(source, [&] { return cast_values<V>(std::move(strips)); });
    });
}

/// A pattern that is antisymmetric, whose values are 1 and -1, stays so.
template <Value V>
void fill_randomly(CsrMatrix<V>& a) {
    constexpr std::uint64_t kSeed = 1;
    constexpr std::int64_t kRowGrain = 1024;
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t i) {
        const auto row = static_cast<index_t>(i);
        for (offset_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const index_t col = a.col_idxs[k];
            const double value = synthetic::value_at(kSeed, std::min(row, col), std::max(row, col));
            a.values[k] = static_cast<V>(widened(a.values[k]) < 0 ? -value : value);
        }
    });
}

template <Value V>
CsrMatrix<V> unpack_archive(const std::string& source) {
    return with_archive(source, [&]<Value Stored>(const Input& input) {
        auto csr = form_in(input) == Form::tiles ? unpack(open_tiles<Stored>(input))
                                                 : to_csr(open_checked_strips<Stored>(input));
        return about(source, [&] { return cast_values<V>(std::move(csr)); });
    });
}

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

Form stored_form(const std::string& source) { return holds_archive(source) ? form_in(open_input(source)) : Form::csr; }

std::string value_type_for(const std::string& source, const std::string& requested) {
    if (!requested.empty()) return requested;
    if (holds_archive(source)) return archive_value_type(open_input(source));
    return std::string(value_name<double>());
}

template <Value V>
CsrMatrix<V> load_csr(const std::string& source) {
    return load_csr<V>(source, PatternValues::ones).matrix;
}

template <Value V>
LoadedMatrix<V> load_csr(const std::string& source, PatternValues values, ReadNotes* notes) {
    if (is_generator(source)) return {generate<V>(std::string_view(source).substr(kGeneratorPrefix.size()))};
    if (holds_archive(source)) return {unpack_archive<V>(source)};
    Progress progress("reading " + source_name(source));
    const Input input = open_input(source);
    ReadNotes read;
    LoadedMatrix<V> loaded;
    loaded.matrix = read_matrix_market<V>(
        input, {.progress = [&](double share) { progress.show(share); }, .limits = limits, .notes = &read});
    show_warnings(read);
    loaded.is_pattern = read.is_pattern;
    if (loaded.is_pattern && values == PatternValues::random) fill_randomly(loaded.matrix);
    if (notes != nullptr) *notes = std::move(read);
    return loaded;
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
    const bool as_stored = selector.empty() && stored_form(source) == Form::tiles;
    LoadTimes spent;
    TileMatrix<V> tiles;
    if (as_stored) {
        spent.read = seconds([&] { tiles = load_stored_tiles<V>(source); });
    } else {
        CsrMatrix<V> csr;
        spent.read = seconds([&] { csr = load_csr<V>(source); });
        spent.convert = seconds([&] { tiles = convert(csr, *policy); });
    }
    if (times) *times = spent;
    return tiles;
}

template <Value V>
StripMatrix<V> load_strips(const std::string& source, std::optional<double> most_bytes, LoadTimes* times) {
    LoadTimes spent;
    StripMatrix<V> strips;
    if (!most_bytes && stored_form(source) == Form::strips) {
        spent.read = seconds([&] { strips = load_stored_strips<V>(source); });
    } else {
        CsrMatrix<V> csr;
        spent.read = seconds([&] { csr = load_csr<V>(source); });
        spent.convert =
            seconds([&] { strips = most_bytes ? make_strip_matrix(csr, *most_bytes) : make_strip_matrix(csr); });
    }
    if (times) *times = spent;
    return strips;
}

std::string source_name(const std::string& source) {
    if (is_generator(source)) return printable(source.substr(kGeneratorPrefix.size()));
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

#define TILESPMV_INSTANTIATE(V)                                                               \
    template CsrMatrix<V> load_csr<V>(const std::string&);                                    \
    template LoadedMatrix<V> load_csr<V>(const std::string&, PatternValues, ReadNotes*);      \
    template TileMatrix<V> load_tiles<V>(const std::string&, const std::string&, LoadTimes*); \
    template StripMatrix<V> load_strips<V>(const std::string&, std::optional<double>, LoadTimes*);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
