#include "tools/view/view_data.hpp"

#include <algorithm>
#include <string_view>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include "formats/list.hpp"
#include "selector/reasoned_policy.hpp"
#include "tools/view/base64.hpp"
#include "tools/view/colors.hpp"
#include "tools/view/page_template.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kExamples = 12;  ///< of a format, and the one with most nonzeros
constexpr unsigned kImpossible = 0xffff;
static_assert(formats::kFormatCount < 31, "the page has a bit for each format");

/// Named parts of one array of bytes.
class Sections {
public:
    void add(const std::string& name, const std::string& bytes) {
        sizes_.push_back({name, bytes.size()});
        bytes_ += bytes;
    }
    [[nodiscard]] const Json& sizes() const { return sizes_; }
    [[nodiscard]] std::string compressed() const {
        uLongf size = compressBound(bytes_.size());
        std::string out(size, '\0');
        const int done = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                   reinterpret_cast<const Bytef*>(bytes_.data()), bytes_.size(), 6);
        if (done != Z_OK) throw std::bad_alloc();  // there is nothing else that it reports
        out.resize(size);
        return out;
    }

private:
    Json sizes_ = Json::array();
    std::string bytes_;
};

void append_two_bytes(std::string& bytes, unsigned number) {
    bytes += static_cast<char>(number & 255);
    bytes += static_cast<char>(number >> 8);
}

/// What the page tells of the different tiles, an array for each kind of number.
class ShapeTexts {
public:
    ShapeTexts(const ViewedMatrix& matrix, const std::vector<std::uint32_t>& shapes)
        : value_bytes_(matrix.value_bytes) {
        if (!matrix.options.selector.empty()) policy_ = make_policy(matrix.options.selector);
        for (const std::uint32_t shape : shapes) add(matrix.list.shapes[shape]);
    }

    void write(Sections& out) const {
        out.add("masks", masks_);
        out.add("sizes", sizes_);
        out.add("formats", formats_);
        out.add("parts", parts_);
        out.add("slots", slots_);
        out.add("reasons", reason_ids_);
        for (std::size_t f = 0; f < bytes_.size(); ++f) out.add("bytes" + std::to_string(f), bytes_[f]);
    }
    [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }

private:
    void add(const TileShape& shape) {
        for (const std::uint16_t mask : shape.masks) append_two_bytes(masks_, mask);
        sizes_ += static_cast<char>((shape.rows - 1) << 4 | (shape.cols - 1));
        formats_ += static_cast<char>(shape.format);
        parts_ += static_cast<char>(shape.part);
        const TileSlots slots = slots_of(shape, value_bytes_);
        slots_ += static_cast<char>(slots.slots | (slots.are_rows ? 32 : 0));
        const TilePattern pattern = shape.pattern();
        add_bytes(pattern, std::make_index_sequence<formats::kFormatCount>());
        append_number(reason_ids_, reason_number(reason_for(shape, pattern)));
    }

    /// In each format, beyond the values of its nonzeros.
    template <std::size_t... Id>
    void add_bytes(const TilePattern& pattern, std::index_sequence<Id...>) {
        (formats::visit_format(static_cast<int>(Id),
                               [&]<class F>() {
                                   const auto size = F::size(pattern, value_bytes_);
                                   const int beyond = size ? size->bytes(value_bytes_) - pattern.nnz * value_bytes_ : 0;
                                   append_two_bytes(bytes_[Id], size ? static_cast<unsigned>(beyond) : kImpossible);
                               }),
         ...);
    }

    [[nodiscard]] std::string reason_for(const TileShape& shape, const TilePattern& pattern) const {
        if (!policy_) return "it is stored so in the archive";
        const TileChoice choice = policy_->choose(pattern, value_bytes_);
        const bool is_deferred = shape.format == TileShape::kDeferred;
        if (is_deferred && !choice.defer) return "its tile row as a whole takes fewer bytes as CSR rows";
        if (!is_deferred && choice.defer)
            return "on its own it would take fewer bytes as CSR rows, but all tiles together take fewer if none is "
                   "deferred";
        const auto* reasoned = dynamic_cast<const ReasonedPolicy*>(policy_.get());
        return reasoned == nullptr ? "the selector says so" : reasoned->reason(pattern, value_bytes_);
    }

    std::size_t reason_number(const std::string& reason) {
        const auto at = std::ranges::find(reasons_, reason);
        const auto number = static_cast<std::size_t>(at - reasons_.begin());
        if (at == reasons_.end()) reasons_.push_back(reason);
        return number;
    }

    int value_bytes_;
    std::unique_ptr<TilePolicy> policy_;
    std::vector<std::string> reasons_;
    std::string masks_, sizes_, formats_, parts_, slots_, reason_ids_;
    std::array<std::string, formats::kFormatCount> bytes_;
};

void add_summaries_to(Sections& out, const Quadtree& tree, const std::vector<std::uint32_t>& order) {
    std::string nnz, tiles, format, all;
    for (const std::uint32_t i : order) {
        const CellSummary& cell = tree.summaries[i];
        append_number(nnz, static_cast<std::uint64_t>(cell.nnz));
        append_number(tiles, static_cast<std::uint64_t>(cell.tiles));
        append_number(format, cell.format);
        append_number(all, cell.formats);
    }
    out.add("cut_nnz", nnz);
    out.add("cut_tiles", tiles);
    out.add("cut_format", format);
    out.add("cut_formats", all);
}

void add_strips_to(Sections& out, const std::vector<StripRows>& strips) {
    std::string rows, fill, slots;
    for (const StripRows& one : strips) {
        append_number(rows, one.tile_rows);
        append_number(fill, static_cast<std::uint64_t>(one.fill));
        append_number(slots, one.slots);
    }
    out.add("strip_rows", rows);
    out.add("strip_fill", fill);
    out.add("strip_slots", slots);
}

Json formats_json(const std::vector<ViewedFormat>& formats) {
    Json all = Json::array();
    for (std::size_t f = 0; f < formats.size(); ++f) {
        const bool is_deferred = f == TileShape::kDeferred;
        const std::string_view color = is_deferred ? kDeferredColor : format_color(f);
        all.push_back({{"name", is_deferred ? "deferred" : formats::format_table()[f].name},
                       {"color", color},
                       {"tiles", formats[f].tiles},
                       {"nnz", formats[f].nnz},
                       {"examples", formats[f].examples}});
    }
    return all;
}

Json matrix_json(const ViewedMatrix& m) {
    return {{"name", m.options.name},
            {"rows", m.rows},
            {"cols", m.cols},
            {"nnz", m.nnz},
            {"tiles", m.list.tiles.cols.size()},
            {"values", m.value_type},
            {"value_bytes", m.value_bytes},
            {"selector", m.options.selector},
            {"csr_bytes", m.csr_bytes},
            {"tiled_bytes", m.tiled_bytes},
            {"scattered_share", m.scattered_share}};
}

}  // namespace

int ViewedMatrix::levels() const {
    const std::int64_t tiles = div_up(std::max(rows, cols), kTileSize);
    int levels = 0;
    while (std::int64_t{1} << levels < tiles) ++levels;
    return levels;
}

std::vector<ViewedFormat> viewed_formats(const TileList& list) {
    std::vector<ViewedFormat> all(TileShape::kDeferred + 1);
    std::vector<int> most(all.size());
    const auto nnz_in = [&](std::uint32_t shape) {
        const TileShape& s = list.shapes[shape];
        return s.part == 0 ? list.nnz[shape] : s.pattern().first_of_rows(s.part).nnz;
    };
    list.tiles.for_each([&](index_t row, std::size_t cell) {
        const std::uint32_t shape = list.tiles.ids[cell];
        const std::size_t f = list.shapes[shape].format;
        const int nnz = nnz_in(shape);
        ++all[f].tiles;
        all[f].nnz += nnz;
        all[TileShape::kDeferred].nnz += list.nnz[shape] - nnz;
        if (nnz > most[f]) {
            most[f] = nnz;
            all[f].examples = {{row, list.tiles.cols[cell]}};
        }
    });
    std::vector<offset_t> seen(all.size());
    list.tiles.for_each([&](index_t row, std::size_t cell) {
        const std::size_t f = list.shapes[list.tiles.ids[cell]].format;
        const offset_t step = div_up(all[f].tiles, kExamples);
        const TilePlace place{row, list.tiles.cols[cell]};
        if (seen[f]++ % step == 0 && place != all[f].examples.front()) all[f].examples.push_back(place);
    });
    return all;
}

std::string view_data(const ViewedMatrix& matrix, const std::vector<ViewedFormat>& formats, const Quadtree& tree) {
    const EncodedTree encoded = encode(tree);
    const ShapeTexts shapes(matrix, encoded.shapes);
    Sections sections;
    sections.add("cells", encoded.cells);
    sections.add("links", encoded.links);
    sections.add("kinds", encoded.kinds);
    shapes.write(sections);
    add_summaries_to(sections, tree, encoded.summaries);
    add_strips_to(sections, matrix.strips);
    const Json json{{"matrix", matrix_json(matrix)},
                    {"formats", formats_json(formats)},
                    {"reasons", shapes.reasons()},
                    {"counts", encoded.counts},
                    {"cut", tree.cut},
                    {"detailed_tiles", tree.detailed_tiles},
                    {"detailed_cells", tree.detailed_cells},
                    {"cut_cells", tree.cut_cells},
                    {"sections", sections.sizes()},
                    {"base64", base64(sections.compressed())}};
    return inert(json.dump());
}

}  // namespace tilespmv::tools
