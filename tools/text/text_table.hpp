#pragma once

#include <string>
#include <vector>

namespace tilespmv::tools {

/// Rows of cells, aligned: the first column to the left, the others to the right, two spaces between them.
class TextTable {
public:
    using Row = std::vector<std::string>;

    /// Cells are shown as `printable`.
    void add(Row row);

    /// The lines, each with its newline and none with trailing spaces. Rows may differ in length; an empty one is an
    /// empty line.
    [[nodiscard]] std::string str() const;

private:
    std::vector<Row> rows_;
};

/// The cell of a text that may be empty.
inline std::string dash_if_empty(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace tilespmv::tools
