#include "kernels/load.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "tile/archive/archive.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"
#include "tile/generate/random.hpp"
#include "tile/parallel.hpp"
#include "tile/value_range.hpp"

namespace tilespmv {
namespace {

constexpr std::string_view kGeneratorPrefix = "gen:";

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

/// Calls f, whose errors know the place in the matrix but not its name.
template <class F>
auto about(const std::string& source, F&& f) {
    try {
        return f();
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", source, error.what()), error.code());
    }
}

Input open(const std::string& file, const LoadOptions& options) {
    return options.open ? options.open(file) : Input(std::filesystem::path(file));
}

/// f of the tiles of an archive, with the type of the values that it holds; refuses one whose rows and columns take
/// much more memory than it holds.
template <class F>
auto with_tiles(const Input& input, const std::string& source, const LoadOptions& options, F&& f) {
    const std::string file = input.file().string();
    const std::string type = archive_value_type(input);
    const auto open = [&]<Value Stored>() {
        auto tiles = open_archive<Stored>(input, formats::format_table());
        options.limits.require_backed(file, tiles.rows, tiles.cols, input.bytes().size());
        return about(source, [&] { return f(std::move(tiles)); });
    };
#define TILESPMV_CALL(V) \
    if (type == value_name<V>()) return open.template operator()<V>();
    TILESPMV_FOR_EACH_VALUE(TILESPMV_CALL)
#undef TILESPMV_CALL
    throw Error(fmt::format("{}: holds values of the unknown type '{}'", file, type));
}

template <Value V>
TileMatrix<V> tiles_in(const Input& input, const std::string& name, const LoadOptions& options) {
    return with_tiles(input, name, options, [](auto tiles) { return cast_values<V>(std::move(tiles)); });
}

template <Value V>
CsrMatrix<V> unpacked(const Input& input, const std::string& name, const LoadOptions& options) {
    return with_tiles(input, name, options, [](auto tiles) { return cast_values<V>(unpack(tiles)); });
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
CsrMatrix<V> read(const Input& input, const LoadOptions& options) {
    ReadNotes notes;
    auto a = read_matrix_market<V>(input, {.progress = options.progress, .limits = options.limits, .notes = &notes});
    if (notes.is_pattern && options.pattern_values == PatternValues::random) fill_randomly(a);
    if (options.notes != nullptr) *options.notes = std::move(notes);
    return a;
}

}  // namespace

bool is_generator(std::string_view name) { return name.starts_with(kGeneratorPrefix); }

Form stored_form(const std::string& name, const LoadOptions& options) {
    if (is_generator(name)) return Form::csr;
    return is_archive(open(name, options)) ? Form::tiles : Form::csr;
}

std::string stored_value_type(const std::string& name, const LoadOptions& options) {
    if (is_generator(name)) return {};
    const Input input = open(name, options);
    return is_archive(input) ? archive_value_type(input) : std::string();
}

template <Value V>
CsrMatrix<V> load_csr(const std::string& name, const LoadOptions& options) {
    if (is_generator(name)) return generate<V>(std::string_view(name).substr(kGeneratorPrefix.size()));
    const Input input = open(name, options);
    return is_archive(input) ? unpacked<V>(input, name, options) : read<V>(input, options);
}

template <Value V>
TileMatrix<V> load_tiles(const std::string& archive, const LoadOptions& options) {
    return tiles_in<V>(open(archive, options), archive, options);
}

template <Value V>
Source<V> load_source(const std::string& name, const LoadOptions& options) {
    if (is_generator(name)) return load_csr<V>(name, options);
    const Input input = open(name, options);  // once: it may be a pipe
    if (!is_archive(input)) return read<V>(input, options);
    return tiles_in<V>(input, name, options);
}

#define TILESPMV_INSTANTIATE(V)                                                \
    template Source<V> load_source<V>(const std::string&, const LoadOptions&); \
    template CsrMatrix<V> load_csr<V>(const std::string&, const LoadOptions&); \
    template TileMatrix<V> load_tiles<V>(const std::string&, const LoadOptions&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
