// A reduced set for compute-sanitizer, under which everything takes a hundred times as long: every operator of ours on
// few and small matrices that reach its edges. `tools/gpu-check` runs it under each tool.
#include <algorithm>
#include <array>
#include <limits>

#include "formats/convert.hpp"
#include "kernels/check.hpp"
#include "kernels/operators/tile/full_tile_operator.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

// Two full tiles, a hub row (split) and a hub column, empty rows, sizes that 16 does not divide.
CsrMatrix<double> mixed_matrix() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 32; ++i) {
        for (index_t j = 0; j < 16; ++j) positions.insert({i, j});
    }
    for (index_t j = 0; j < 1501; ++j) positions.insert({37, j});
    for (index_t i = 60; i < 77; ++i) positions.insert({i, 1500});
    return matrix_of(77, 1501, positions);
}

// Dense tile rows that are split, rows of far columns beside them.
CsrMatrix<double> dense_matrix() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 16; ++i) {
        for (index_t j = 0; j < 17 * kTileSize; ++j) positions.insert({i, j});
        positions.insert({16 + i, i * 10'000});
    }
    return matrix_of(32, 150'001, positions);
}

// Strips of 13 and of 41 slots of one pattern each, and others with holes, of fewer slots; the last has 11 rows.
CsrMatrix<double> strips_matrix() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 187; ++i) {
        const bool is_long = i >= 96;
        for (index_t k = 0; k < (is_long ? 41 : 13); ++k) {
            const bool is_hole = i % 96 >= 64 && (i + k) % 5 == 4;
            if (!is_hole) positions.insert({i, i + 3 * k});
        }
    }
    return matrix_of(187, 310, positions);
}

/// Strips that two groups of lanes share, some with no whole step each, and the same for one group, by both kernels.
constexpr std::array kSharedStrips{"strip:bytes=1000,lane_slots=11,resident_blocks=12",
                                   "strip:bytes=1000,lane_slots=512,resident_blocks=12",
                                   "strip:bytes=1000,lane_slots=11,resident_blocks=18",
                                   "strip:bytes=1000,lane_slots=512,resident_blocks=18",
                                   "strip:bytes=0,ranks=1000,lane_slots=11,resident_blocks=12",
                                   "strip:bytes=0,ranks=1000,lane_slots=512,resident_blocks=18"};

std::vector<CsrMatrix<double>> few_matrices() {
    std::vector<CsrMatrix<double>> all;
    all.push_back(mixed_matrix());
    all.push_back(dense_matrix());
    all.push_back(matrix_of(35, 3, {{0, 0}, {17, 1}, {34, 2}}));
    all.push_back(matrix_of(3, 35, {}));
    return all;
}

class SanitizerOnDevice : public OnDevice {
protected:
    template <class V>
    static void expect_right(const CsrMatrix<V>& csr, const cuda::DeviceOperator<V>& a,
                             Accumulator sums = default_accumulator<V>()) {
        const std::vector<V> x(static_cast<std::size_t>(csr.cols), V(0.75));
        const std::vector<V> nan(static_cast<std::size_t>(csr.rows), std::numeric_limits<V>::quiet_NaN());
        const std::vector<V> ones(nan.size(), V(1));
        const auto fresh = check_product<V>(expected_product<V>(csr, 1, x, 0, {}), product<V>(a, 1, x, 0, nan), sums);
        const auto added =
            check_product<V>(expected_product<V>(csr, 2, x, -0.5, ones), product<V>(a, 2, x, -0.5, ones), sums);
        EXPECT_TRUE(fresh.ok) << a.name() << ' ' << fresh.message();
        EXPECT_TRUE(added.ok) << a.name() << ' ' << added.message();
    }

    template <class V>
    static std::unique_ptr<cuda::DeviceOperator<V>> make(const std::string& specification, const Source<V>& source,
                                                         Accumulator sums = default_accumulator<V>()) {
        return cuda::make_device_operator<V>(specification, source, sums, nullptr);
    }

    template <class V>
    static void operators_of_ours(const CsrMatrix<V>& csr, Form form, const Source<V>& source,
                                  Accumulator sums = default_accumulator<V>()) {
        for (const auto& info : operators<V>(Backend::cuda)) {
            if (info.name.starts_with("cusparse") || info.made_from != form) continue;
            for (const auto& spec : specifications(info)) expect_right(csr, *make<V>(spec, source, sums), sums);
        }
    }

    template <class V>
    static void shared_strips(Accumulator sums = default_accumulator<V>()) {
        const auto strips = convert_values<V>(strips_matrix());
        for (const char* spec : kSharedStrips) expect_right(strips, *make<V>(spec, strips, sums), sums);
    }

    template <class V>
    static void every_operator_of_ours() {
        for (const auto& matrix : few_matrices()) {
            const auto csr = convert_values<V>(matrix);
            operators_of_ours<V>(csr, Form::csr, csr);
            for (const char* selector : {"paper-tuned", "paper-tuned-deferred", "bytes"}) {
                const auto tiles = convert(csr, *make_policy(selector));
                operators_of_ours<V>(csr, Form::tiles, {csr, tiles});
            }
        }
        shared_strips<V>();
        full_tiles<V>();
    }

    /// Straight from CSR, as `auto` makes them: tile rows of one run and of several.
    template <class V>
    static void full_tiles() {
        for (const char* specification : {"block-dense:n=96,block=16,blocks_per_row=2", "dense:rows=32,cols=4096"}) {
            const auto csr = convert_values<V>(generate<double>(specification));
            const cuda::DeviceContext on;
            const MakeContext context{Backend::cuda, default_accumulator<V>(), &on};
            auto made = cuda::make_full_tile_operator<V>(csr, context);
            ASSERT_TRUE(made);
            const auto a = cuda::as_device_operator(std::move(made));
            a->make_own_workspace(nullptr);
            TILESPMV_CUDA(cudaStreamSynchronize(nullptr));  // products run on another stream
            expect_right(csr, *a);
        }
    }

    static void floats_summed_in_float() {
        const auto csr = convert_values<float>(mixed_matrix());
        operators_of_ours<float>(csr, Form::csr, csr, Accumulator::float32);
        const auto tiles = convert(csr, *make_policy("paper-tuned-deferred"));
        operators_of_ours<float>(csr, Form::tiles, {csr, tiles}, Accumulator::float32);
        shared_strips<float>(Accumulator::float32);
    }

    /// The operator, made from a matrix with other values, takes those of `csr`.
    template <class V>
    static void expect_update(const std::string& specification, const CsrMatrix<V>& csr) {
        auto before = csr.clone();
        std::ranges::fill(before.values, V(1));
        const auto tiles = convert(before, *make_policy("paper-tuned-deferred"));
        const auto a = make<V>(specification, {before, tiles});
        const cuda::DeviceBuffer<V> values(csr.values, nullptr);
        a->update_values(values.span(), nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));  // products run on another stream
        expect_right(csr, *a);
    }

    template <class V>
    static void new_values() {
        const auto mixed = convert_values<V>(mixed_matrix());
        for (const auto& info : operators<V>(Backend::cuda)) {
            const std::string spec = updatable(info, std::string(info.name));
            if (!spec.empty()) expect_update(spec, mixed);
        }
        const auto strips = convert_values<V>(strips_matrix());
        for (const std::string spec : kSharedStrips) expect_update(spec, strips);
    }
};

TEST_F(SanitizerOnDevice, Double) { every_operator_of_ours<double>(); }
TEST_F(SanitizerOnDevice, Float) { every_operator_of_ours<float>(); }
TEST_F(SanitizerOnDevice, FloatSummedInFloat) { floats_summed_in_float(); }
TEST_F(SanitizerOnDevice, Half) { every_operator_of_ours<Half>(); }
TEST_F(SanitizerOnDevice, Bfloat16) { every_operator_of_ours<Bfloat16>(); }

TEST_F(SanitizerOnDevice, NewValuesOfDouble) { new_values<double>(); }
TEST_F(SanitizerOnDevice, NewValuesOfFloat) { new_values<float>(); }
TEST_F(SanitizerOnDevice, NewValuesOfHalf) { new_values<Half>(); }
TEST_F(SanitizerOnDevice, NewValuesOfBfloat16) { new_values<Bfloat16>(); }

}  // namespace
}  // namespace tilespmv::testing
