#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "formats/list.hpp"
#include "tests/tools/golden_results.hpp"

namespace tilespmv::test {

/// Tiles of `nnz` nonzeros by one of the selectors of the paper: the seven formats in shares that differ, one of them
/// empty; deferral takes an eighth.
inline bench::StoredTiles paper_tiles(offset_t nnz, const std::string& selector) {
    if (selector.starts_with("only:")) return {{{selector.substr(5), nnz / 10, nnz, 11 * nnz}}, 12 * nnz, 13 * nnz};
    if (selector == "paper-csr") return {{{"csr", nnz / 16, nnz, 9 * nnz}}, 10 * nnz, 11 * nnz};
    const offset_t deferred = selector == "paper-deferred" ? nnz / 8 : 0;
    bench::StoredTiles stored{{}, 9 * nnz, selector == "paper-tuned" ? 9 * nnz : 10 * nnz};
    const auto add = [&](const char* name, offset_t tiles, offset_t part) {
        stored.formats.push_back({name, tiles, part, 8 * part});
    };
    add("dense", nnz / 1000, nnz / 4);
    add("coo", nnz / 20, nnz / 8 - deferred);
    add("csr", nnz / 100, nnz / 4);
    add("ell", nnz / 50, nnz / 8);
    add("hyb", nnz / 200, nnz / 8);
    add("dense_row", nnz / 400, nnz - 2 * (nnz / 4) - 3 * (nnz / 8));
    if (deferred > 0) {
        std::erase_if(stored.formats, [](const auto& f) { return f.name == "coo"; });
        add("deferred", 0, deferred);
    }
    return stored;
}

/// A case of tiles that ran in `units` of a common time; sizes and speeds are powers of two times small numbers.
inline bench::Result paper_case(const std::string& matrix, offset_t nnz, const std::string& operator_name,
                                const std::string& selector, double units, int scale) {
    auto r = golden_result(matrix, nnz, operator_name, selector, units * 0x1p-30 * static_cast<double>(nnz), scale);
    r.rows = static_cast<index_t>(nnz / 16);
    if (!selector.empty()) {
        r.stored = paper_tiles(nnz, selector);
        r.executed.clear();
        for (const auto& f : r.stored.formats) {
            const bool deferred = f.name == "deferred";
            r.executed.push_back({deferred ? "csr" : "tiles", f.name, 1, f.nnz, 100});
        }
    }
    return r;
}

/// `matrices` on a GPU, every contestant of the paper. On the second csr5 fails, and of BSR a variant; one more matrix
/// fails as a whole.
inline bench::ResultSet golden_paper_results(int matrices) {
    bench::ResultSet set{golden_machine(), golden_build(), {}};
    set.machine.gpu = golden_gpu_results().machine.gpu;
    const auto put = [&](bench::Result r) {
        r.id.device = "Some GPU";
        r.id.threads = 1;
        set.put(std::move(r));
    };
    for (int i = 0; i < matrices; ++i) {
        const std::string name = fmt::format("folder/matrix-{}.mtx.gz", i);
        const offset_t nnz = 100'000LL * (1 + (7 * i) % matrices) * (i % 3 == 0 ? 16 : 1);
        const double bsr = 2 + 0.5 * (i % 4);
        const auto tiles_by = [&](const std::string& tiled, const std::string& selector, double units, int scale) {
            auto r = with_speedup(paper_case(name, nnz, tiled, selector, units, scale), "csr-merge", "csr-merge",
                                  1.0625 / units);
            put(with_speedup(std::move(r), "cusparse-bsr", "cusparse-bsr:block=4", bsr / units));
        };
        const auto tiles = [&](const std::string& selector, double units, int scale) {
            tiles_by("tile", selector, units, scale);
            tiles_by("tile-warp", selector, 1.5 * units, scale);
        };
        put(with_speedup(paper_case(name, nnz, "csr-merge", "", 1, 2), "csr-merge", "csr-merge", 1));
        put(paper_case(name, nnz, "cusparse-bsr:block=2", "", 2 * bsr, 9));
        put(paper_case(name, nnz, "cusparse-bsr:block=4", "", bsr, 9));
        if (i == 1) {
            put(golden_failure(bench::Status::failed, name, "cusparse-bsr:block=8", "", "out of memory: 9 bytes"));
            put(golden_failure(bench::Status::failed, name, "csr5", "", "out of memory: 7 bytes"));
        } else {
            put(paper_case(name, nnz, "csr5", "", 0.75 + 0.125 * (i % 5), 3));
        }
        tiles("paper-csr", 1.5, 10);
        tiles("paper-adaptive", 0.5 + 0.25 * (i % 4), 12);
        tiles("paper-deferred", 0.625 + 0.125 * (i % 4), 14);
        tiles("paper-tuned", 0.75 + 0.125 * (i % 3), 13);
        int scale = 20;
        for (const auto& info : formats::published_formats()) {
            tiles(fmt::format("only:{}", info.name), 1.25 + 0.0625 * scale - i % 2, scale);
            ++scale;
        }
    }
    for (const auto* selector : {"paper-csr", "paper-adaptive"}) {
        put(golden_failure(bench::Status::failed, "missing|2.mtx", "tile", selector, "missing|2.mtx: cannot be read"));
    }
    put(golden_result("folder/matrix-0.mtx.gz", 1, "strip", "paper-csr", 1, 1));  // takes no part
    return set;
}

/// On a CPU, two of the configurations, of a version that did not say what tiles take.
inline bench::ResultSet golden_paper_results_of_cpu() {
    bench::ResultSet set{golden_machine(), golden_build(), {}};
    for (const auto* selector : {"paper-csr", "paper-adaptive"}) {
        auto r = paper_case("a \"b\".mtx", 4096, "tile-omp", selector, 1, 3);
        r.stored.bytes = r.stored.published_bytes = 0;
        set.put(with_speedup(std::move(r), "csr-omp", "csr-omp", 1.25));
    }
    set.put(with_speedup(paper_case("a \"b\".mtx", 4096, "csr-omp", "", 1.25, 1), "csr-omp", "csr-omp", 1));
    return set;
}

}  // namespace tilespmv::test
