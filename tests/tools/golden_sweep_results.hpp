#pragma once

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tests/tools/golden_results.hpp"

namespace tilespmv::test {

/// csr-vector with several numbers of threads a row on four matrices: with csr-scalar and the own choice, without, with
/// one number only, and with options that are no sweep.
inline bench::ResultSet golden_thread_sweeps() {
    bench::ResultSet set{golden_machine(), golden_build(), {}};
    const auto put = [&](const std::string& matrix, offset_t nnz, const std::string& operator_name, double seconds) {
        auto r = golden_result(matrix, nnz, operator_name, "", seconds, 1);
        r.rows = 1'000'000;
        set.put(std::move(r));
    };
    const std::string circuit = "gen:circuit:n=1000000,near=1,far=0.6,rails=0";
    for (const int threads : {2, 4, 8, 16, 32}) {
        const auto specification = fmt::format("csr-vector:threads={}", threads);
        put(circuit, 4'200'000, specification, 0x1p-16 * (1 + std::abs(std::log2(threads) - 2)));
        put("folder/long-rows.mtx.gz", 250'000'000, specification, 0x1p-9 / threads);
    }
    put(circuit, 4'200'000, "csr-vector", 0x1.08p-16);
    put(circuit, 4'200'000, "csr-scalar", 0x1p-14);
    put(circuit, 4'200'000, "csr-vector:threads=64,flight=1", 1);
    put(circuit, 4'200'000, "csr-vector:rule=mean", 1);
    put("one.mtx", 5'000'000, "csr-vector:threads=2", 1);
    put("one.mtx", 5'000'000, "csr-vector", 1);
    put("two.mtx", 16'000'000, "csr-vector:threads=1", 0x1p-12);
    put("two.mtx", 16'000'000, "csr-vector:threads=2", 0x1.1p-12);
    set.put(golden_failure(bench::Status::failed, "two.mtx", "csr-vector:threads=4", "", "no"));
    return set;
}

}  // namespace tilespmv::test
