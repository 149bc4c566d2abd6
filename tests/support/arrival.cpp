#include "tests/support/arrival.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/list.hpp"
#include "tile/archive/archive.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv::testing {
namespace {

namespace fs = std::filesystem;

template <Value V>
CsrMatrix<V> through_text(const CsrMatrix<V>& a, const fs::path& directory) {
    const auto file = directory / "A.mtx";
    write_matrix_market(file, a);
    return read_matrix_market<V>(file);
}

template <Value V>
TileMatrix<V> through_archive(const TileMatrix<V>& tiles, const fs::path& directory) {
    const auto file = directory / "A.tsp";
    write_archive(file, tiles, formats::format_table());
    return open_archive<V>(file, formats::format_table());
}

template <Value V>
TileMatrix<V> with_new_values(TileMatrix<V> tiles, const CsrMatrix<V>& a) {
    const ValueMap map(a, tiles);
    map.update<V>(tiles, {a.values.begin(), a.values.end()});
    return tiles;
}

}  // namespace

template <Value V>
CsrMatrix<V> with_other_values(const CsrMatrix<V>& a) {
    auto other = a.clone();
    std::reverse(other.values.begin(), other.values.end());
    return other;
}

std::string_view name_of(Arrival arrival) {
    switch (arrival) {
        case Arrival::memory:
            return "memory";
        case Arrival::wide_memory:
            return "wide offsets in memory";
        case Arrival::text:
            return "text";
        case Arrival::archive:
            return "archive";
        case Arrival::wide_archive:
            return "archive with wide offsets";
        case Arrival::reconverted:
            return "archive, converted again";
        case Arrival::new_values:
            return "new values in memory";
        case Arrival::new_archived:
            return "new values in an archive";
    }
    return "";
}

template <Value V>
Arrived<V> arrive(Arrival arrival, const CsrMatrix<V>& a, const TilePolicy& policy, const fs::path& directory) {
    const auto unpacked = [](TileMatrix<V> tiles) {
        Arrived<V> both{unpack(tiles), {}};
        both.tiles = std::move(tiles);
        return both;
    };
    const auto converted = [&](CsrMatrix<V> csr) {
        Arrived<V> both{std::move(csr), {}};
        both.tiles = convert(both.csr, policy);
        return both;
    };
    switch (arrival) {
        case Arrival::memory:
            return {a.clone(), convert(a, policy)};
        case Arrival::wide_memory:
            return unpacked(convert(a, policy, true));
        case Arrival::text:
            return converted(through_text(a, directory));
        case Arrival::archive:
            return unpacked(through_archive(convert(a, policy), directory));
        case Arrival::wide_archive:
            return unpacked(through_archive(convert(a, policy, true), directory));
        case Arrival::reconverted:
            return converted(unpack(through_archive(convert(a, policy), directory)));
        case Arrival::new_values:
            return unpacked(with_new_values(convert(with_other_values(a), policy), a));
        case Arrival::new_archived:
            return unpacked(with_new_values(through_archive(convert(with_other_values(a), policy), directory), a));
    }
    return {};
}

template <Value V>
bool same_matrix(const CsrMatrix<V>& a, const CsrMatrix<V>& b) {
    return a.rows == b.rows && a.cols == b.cols && a.row_ptrs == b.row_ptrs && a.col_idxs == b.col_idxs &&
           a.values.size() == b.values.size() &&
           (a.values.empty() || std::memcmp(a.values.data(), b.values.data(), a.values.bytes()) == 0);
}

#define TILESPMV_INSTANTIATE(V)                                                                                \
    template CsrMatrix<V> with_other_values(const CsrMatrix<V>&);                                              \
    template Arrived<V> arrive(Arrival, const CsrMatrix<V>&, const TilePolicy&, const std::filesystem::path&); \
    template bool same_matrix(const CsrMatrix<V>&, const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::testing
