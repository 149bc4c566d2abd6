#include "tile/matrix_market/header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "tile/matrix_market/number.hpp"

namespace tilespmv::matrix_market {
namespace {

template <class T>
struct Keyword {
    std::string_view name;
    T value;
};

constexpr std::array<Keyword<Layout>, 2> kLayouts{{{"coordinate", Layout::coordinate}, {"array", Layout::array}}};
constexpr std::array<Keyword<Field>, 3> kFields{
    {{"real", Field::real}, {"integer", Field::integer}, {"pattern", Field::pattern}}};
constexpr std::array<Keyword<Symmetry>, 3> kSymmetries{{{kSymmetryNames[0], Symmetry::general},
                                                        {kSymmetryNames[1], Symmetry::symmetric},
                                                        {kSymmetryNames[2], Symmetry::skew_symmetric}}};

/// Reads words from left to right and complains about the one that is wrong.
class HeaderReader {
public:
    explicit HeaderReader(const TextFile& file) : file_(file), p_(file.begin()) {}

    const char* position() const { return p_; }

    bool next_is(std::string_view keyword) {
        p_ = skip_blanks(p_);
        const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
        const auto word = std::string_view(p_, static_cast<std::size_t>(word_end() - p_));
        if (!std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(), same)) return false;
        p_ += keyword.size();
        return true;
    }

    void expect(std::string_view keyword, std::string_view expected) {
        if (!next_is(keyword)) file_.fail(p_, expected);
    }

    template <class T>
    T choose(std::span<const Keyword<T>> keywords, std::string_view expected) {
        for (const auto& [name, value] : keywords) {
            if (next_is(name)) return value;
        }
        file_.fail(p_, expected);
    }

    offset_t number(std::string_view what, offset_t largest) {
        p_ = skip_blanks(p_);
        std::uint64_t value = 0;
        const char* end = append_digits(p_, value);
        const bool is_number = end > p_ && end - p_ <= 19 && ends_word(*end);
        if (!is_number || value > static_cast<std::uint64_t>(largest)) {
            file_.fail(p_, fmt::format("the number of {} (0 to {})", what, largest));
        }
        p_ = end;
        return static_cast<offset_t>(value);
    }

    void end_line() {
        p_ = skip_blanks(p_);
        if (p_ < file_.end() && *p_ != '\n') file_.fail(p_, "end of line");
        p_ += p_ < file_.end();
    }

    /// Skips blank lines and comments.
    void skip_lines() {
        for (p_ = skip_blanks(p_); p_ < file_.end() && (*p_ == '\n' || *p_ == '%'); p_ = skip_blanks(p_)) {
            const auto* newline = std::memchr(p_, '\n', static_cast<std::size_t>(file_.end() - p_));
            p_ = newline != nullptr ? static_cast<const char*>(newline) + 1 : file_.end();
        }
    }

private:
    const char* word_end() const { return std::find_if(p_, file_.end(), ends_word); }

    const TextFile& file_;
    const char* p_;
};

void parse_banner(HeaderReader& reader, Header& header) {
    reader.expect("%%matrixmarket", "'%%MatrixMarket' at the start of a Matrix Market file");
    reader.expect("matrix", "'matrix'");
    header.layout = reader.choose<Layout>(kLayouts, "'coordinate' or 'array'");
    if (header.layout == Layout::array) {
        header.field = reader.choose<Field>(std::span(kFields).first(2), "'real' or 'integer' for an array");
        header.symmetry = reader.choose<Symmetry>(std::span(kSymmetries).first(1), "'general' for an array");
    } else {
        header.field =
            reader.choose<Field>(kFields, "'real', 'integer' or 'pattern' (complex matrices are not supported)");
        header.symmetry = reader.choose<Symmetry>(
            kSymmetries, "'general', 'symmetric' or 'skew-symmetric' (hermitian matrices are not supported)");
    }
    reader.end_line();
}

void parse_size(HeaderReader& reader, Header& header) {
    constexpr offset_t most = std::numeric_limits<index_t>::max();
    header.size = reader.position();
    header.rows = static_cast<index_t>(reader.number("rows", most));
    header.cols = static_cast<index_t>(reader.number("columns", most));
    header.entries = header.layout == Layout::array ? static_cast<offset_t>(header.rows) * header.cols
                                                    : reader.number("entries", std::numeric_limits<offset_t>::max());
    reader.end_line();
    header.body = reader.position();
}

}  // namespace

Header parse_header(const TextFile& file) {
    HeaderReader reader(file);
    Header header;
    parse_banner(reader, header);
    reader.skip_lines();
    parse_size(reader, header);
    if (header.expands() && header.rows != header.cols) {
        file.fail(header.size, fmt::format("{} x {}", header.rows, header.cols), "a square matrix, as it is symmetric");
    }
    return header;
}

}  // namespace tilespmv::matrix_market
