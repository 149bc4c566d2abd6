#include "tools/text/markdown_table.hpp"

namespace tilespmv::tools {
namespace {

// A bar would end the cell.
std::string escaped_bars(std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
    return text;
}

}  // namespace

MarkdownTable::MarkdownTable(const Row& header) {
    add(header);
    text_ += '|';
    for (std::size_t i = 0; i < header.size(); ++i) text_ += i == 0 ? "---|" : "---:|";
    text_ += '\n';
}

void MarkdownTable::add(const Row& row) {
    text_ += '|';
    for (const auto& cell : row) {
        text_ += ' ';
        text_ += escaped_bars(cell);
        text_ += " |";
    }
    text_ += '\n';
}

}  // namespace tilespmv::tools
