#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "formats/list.hpp"
#include "kernels/executed.hpp"

namespace tilespmv::testing {

/// A part must be something, and be called what it is.
inline void expect_sound(const ExecutedPart& part, index_t rows) {
    static const std::set<std::string> representations{"tiles", "walked",    "slots", "strip", "rank-strip",
                                                       "csr5",  "csr-inode", "csr",   "ell",   "dia",
                                                       "coo",   "sell",      "bsr"};
    EXPECT_EQ(representations.count(part.representation), 1u);
    const bool is_format = std::ranges::count(formats::format_table(), part.format, &FormatInfo::name) > 0;
    if (part.format == "deferred") {
        EXPECT_TRUE(part.representation == "csr" || part.representation == "csr5");
    } else if (part.representation == "tiles" || part.representation == "walked" || part.representation == "slots") {
        EXPECT_TRUE(is_format);
    } else {
        EXPECT_TRUE(part.format.empty() || (is_format && part.representation == "csr"));
    }
    EXPECT_GT(part.nnz, 0);
    EXPECT_GE(part.tile_rows, 1);
    EXPECT_LE(part.tile_rows, std::min(part.nnz, div_up(rows, kTileSize)));
    EXPECT_GE(part.bytes, static_cast<std::uint64_t>(part.nnz));
}

/// The contract of `executed()` of any operator, on the host or a device.
template <class Operator>
void expect_executed(const Operator& a) {
    const auto parts = a.executed();
    std::set<std::string> names;
    offset_t nnz = 0;
    std::uint64_t bytes = 0;
    for (const auto& part : parts) {
        SCOPED_TRACE(std::string(a.name()) + " executes " + part.representation + ' ' + part.format);
        expect_sound(part, a.rows());
        EXPECT_TRUE(names.insert(part.representation + ' ' + part.format).second) << "twice";
        nnz += part.nnz;
        bytes += part.bytes;
    }
    EXPECT_EQ(nnz, a.nnz()) << a.name();
    EXPECT_EQ(bytes, a.nnz() == 0 ? 0 : a.matrix_bytes()) << a.name();
    EXPECT_EQ(a.executed(), parts) << a.name();
}

}  // namespace tilespmv::testing
