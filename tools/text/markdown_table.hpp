#pragma once

#include <string>
#include <vector>

namespace tilespmv::tools {

/// A table in Markdown, the first column to the left, the others to the right.
class MarkdownTable {
public:
    using Row = std::vector<std::string>;

    explicit MarkdownTable(const Row& header);
    void add(const Row& row);

    [[nodiscard]] const std::string& str() const { return text_; }

private:
    std::string text_;
};

}  // namespace tilespmv::tools
