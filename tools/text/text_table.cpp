#include "tools/text/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tile/io/printable.hpp"

namespace tilespmv::tools {
namespace {

std::string line(const TextTable::Row& row, const std::vector<std::size_t>& widths) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
        text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

}  // namespace

void TextTable::add(Row row) {
    for (auto& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

std::string TextTable::str() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) text += line(row, widths);
    return text;
}

}  // namespace tilespmv::tools
