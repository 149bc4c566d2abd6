#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/measurer.hpp"
#include "tests/selector/models/synthetic.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::test {

/// A GPU whose times follow formulas, that counts what it measures and can be interrupted.
class FakeMeasurer final : public bench::Measurer {
public:
    Probe machine = h200_like();
    /// What a product takes over the time that is planted.
    std::map<std::string, double> operators_by_name{{"csr-merge", 1}, {"csr16", 0.9}, {"brand-new", 0.6}};
    std::map<std::string, double> of_16_bits;  ///< the same for values of 16 bits, where it differs
    static constexpr double kPreparationSeconds = 1e-4;
    std::map<std::string, int> measured;   ///< by operator
    std::vector<std::string> of_matrices;  ///< what was asked of them, in order: operators to time, "prepare ..."
    std::size_t sums = 8;                  ///< bytes of what products accumulate in, but for values of 16 bits
    std::chrono::milliseconds delay{};     ///< that each time and each preparation takes
    int left = 1 << 30;                    ///< measurements until it is interrupted

    Probe probe() override { return machine; }
    [[nodiscard]] std::size_t sum_bytes(std::string_view values) const override {
        return bytes_of(values) == 2 ? 4 : sums;
    }
    [[nodiscard]] std::vector<std::string> operators(std::string_view) const override {
        std::vector<std::string> all;
        for (const auto& [name, factor] : operators_by_name) all.push_back(name);
        all.emplace_back("ell");
        return all;
    }
    std::unique_ptr<bench::MatrixTimer> matrix(std::string_view values, const std::string& source) override {
        return std::make_unique<Matrix>(*this, NumberSizes{bytes_of(values), sum_bytes(values)}, source);
    }
    void expect(std::string_view, const std::string&) override {}

    [[nodiscard]] int all_measured() const {
        int sum = 0;
        for (const auto& [name, count] : measured) sum += count;
        return sum;
    }

private:
    static std::size_t bytes_of(std::string_view values) {
        if (values.ends_with("float16")) return 2;
        return values == "float32" ? 4 : 8;
    }
    [[nodiscard]] double factor(const std::string& name, std::size_t value_bytes) const {
        const auto other = of_16_bits.find(name);
        return value_bytes == 2 && other != of_16_bits.end() ? other->second : operators_by_name.at(name);
    }
    void count(const std::string& name) {
        if (left-- == 0) throw std::runtime_error("interrupted");
        ++measured[name];
    }

    class Matrix final : public bench::MatrixTimer {
    public:
        Matrix(FakeMeasurer& of, const NumberSizes& sizes, const std::string& source)
            : of_(of), features_(features_of(pattern_of(generate<double>(source.substr(4))))) {
            features_.value_bytes = sizes.value;
            features_.sum_bytes = sizes.sum;
        }
        [[nodiscard]] const MatrixFeatures& features() const override { return features_; }
        double seconds(const std::string& specification) override {
            std::this_thread::sleep_for(of_.delay);
            of_.count(specification);
            of_.of_matrices.push_back(specification);
            if (specification.ends_with("no-such-option=1")) throw Error("no such option", ExitCode::usage);
            if (specification == "ell") throw Error("refused: ELL would be large");
            const auto candidate = modelled_operator(true, specification);
            return product_seconds(candidate, features_, of_.machine, of_.factor(specification, features_.value_bytes));
        }
        double preparation_seconds(const std::string& specification) override {
            std::this_thread::sleep_for(of_.delay);
            of_.of_matrices.push_back("prepare " + specification);
            return kPreparationSeconds;
        }

    private:
        FakeMeasurer& of_;
        MatrixFeatures features_;
    };
};

}  // namespace tilespmv::test
