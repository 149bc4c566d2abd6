#include "tests/fuzz/random_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace tilespmv::fuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

int random_exponent(Random& random, int most) { return static_cast<int>(random.below(2 * most + 1)) - most; }

/// Puts entries into a matrix.
class SystemBuilder {
public:
    SystemBuilder(Random& random, index_t size) : random_(random), size_(size) {}

    void dominant() {
        pairs(1 + random_.below(3), [&] { return random_.number(); });
        std::vector<double> sums(static_cast<std::size_t>(size_), 0.0);
        for (const auto& [position, value] : entries_)
            sums[static_cast<std::size_t>(position.first)] += std::abs(value);
        for (index_t i = 0; i < size_; ++i)
            entries_[{i, i}] = sums[static_cast<std::size_t>(i)] + 0.1 + std::abs(random_.number());
    }
    void path() {
        for (index_t i = 0; i < size_; ++i) put(i, i, 2);
        for (index_t i = 0; i + 1 < size_; ++i) put(i, i + 1, -1);
    }
    /// Rows add up to 0. Most are connected.
    void graph_laplacian() {
        for (index_t i = 0; i + 1 < size_; ++i) {
            if (!random_.once_in(60)) entries_[{i, i + 1}] = entries_[{i + 1, i}] = -1;
        }
        pairs(1, [&] { return -1.0 - static_cast<double>(random_.below(4)); });
        std::vector<double> sums(static_cast<std::size_t>(size_), 0.0);
        for (const auto& [position, value] : entries_) sums[static_cast<std::size_t>(position.first)] -= value;
        for (index_t i = 0; i < size_; ++i) entries_[{i, i}] = sums[static_cast<std::size_t>(i)];
    }
    /// B'B of some rows: singular where they are fewer than columns.
    void gram() {
        const auto rows = 1 + static_cast<std::size_t>(random_.below(size_ + 5));
        std::vector<std::vector<double>> factor(rows, std::vector<double>(static_cast<std::size_t>(size_)));
        for (auto& row : factor) {
            for (double& value : row) value = random_.number();
        }
        for (index_t i = 0; i < size_; ++i) {
            for (index_t j = 0; j <= i; ++j) {
                double sum = 0;
                for (const auto& row : factor)
                    sum += row[static_cast<std::size_t>(i)] * row[static_cast<std::size_t>(j)];
                put(i, j, sum);
            }
        }
    }
    void diagonal() {
        const int most = random_.pick(std::array{1, 3, 30, 300});
        for (index_t i = 0; i < size_; ++i)
            put(i, i, std::ldexp(1.5 + random_.number() / 2, random_exponent(random_, most)));
    }
    void indefinite() {
        pairs(3, [&] { return random_.number(); });
        for (index_t i = 0; i < size_; ++i) {
            if (!random_.once_in(8)) put(i, i, random_.number());
        }
    }
    /// Two to four unknowns a node, whose rows have the same columns.
    void nodes() {
        const auto unknowns = static_cast<index_t>(2 + random_.below(3));
        size_ = std::max<index_t>(1, size_ / unknowns) * unknowns;
        dominant();
        auto coupled = std::exchange(entries_, {});
        for (const auto& [position, value] : coupled) {
            const index_t row = position.first / unknowns * unknowns, col = position.second / unknowns * unknowns;
            for (index_t i = 0; i < unknowns; ++i) {
                for (index_t j = 0; j < unknowns; ++j) entries_.try_emplace({row + i, col + j}, 0.0);
            }
            entries_[position] = value;
        }
    }
    void nothing() {
        if (size_ > 0 && random_.once_in(2)) put(static_cast<index_t>(random_.below(size_)), 0, random_.number());
    }

    // Spoils.

    void scale() {
        const int exponent = random_exponent(random_, random_.pick(std::array{40, 120, 400, 1000}));
        for (auto& [position, value] : entries_) value = std::ldexp(value, exponent);
    }
    void scale_rows_and_columns() {
        const int most = random_.pick(std::array{2, 10, 60, 400});
        std::vector<int> exponents(static_cast<std::size_t>(size_));
        for (int& exponent : exponents) exponent = random_exponent(random_, most);
        for (auto& [position, value] : entries_) {
            value = std::ldexp(value, exponents[static_cast<std::size_t>(position.first)] +
                                          exponents[static_cast<std::size_t>(position.second)]);
        }
    }
    void round_otherwise() {
        for (auto& [position, value] : entries_) {
            if (random_.once_in(3)) value = std::nextafter(value, random_.once_in(2) ? kInfinity : -kInfinity);
        }
    }
    void explicit_zeros() {
        for (auto left = 1 + random_.below(8); left > 0 && size_ > 0; --left)
            entries_.try_emplace({random_index(), random_index()}, random_.once_in(2) ? 0.0 : -0.0);
    }
    void tiny_without_partner() {
        if (size_ > 0) entries_.try_emplace({random_index(), random_index()}, 1e-17 * random_.number());
    }
    void drop_partner() {
        if (!entries_.empty()) entries_.erase(random_entry());
    }
    void unsymmetric_entry() {
        if (!entries_.empty()) random_entry()->second += random_.number();
    }
    void not_finite() {
        if (!entries_.empty()) random_entry()->second = random_.pick(std::array{kNan, kInfinity, -kInfinity, 1e308});
    }
    void near_limits() {
        for (auto& [position, value] : entries_) value *= 1e308;
    }

    [[nodiscard]] CsrMatrix<double> matrix() const {
        CsrMatrix<double> a{size_, size_, Buffer<offset_t>(static_cast<std::size_t>(size_) + 1, 0),
                            Buffer<index_t>(entries_.size()), Buffer<double>(entries_.size())};
        std::size_t at = 0;
        for (const auto& [position, value] : entries_) {
            ++a.row_ptrs[static_cast<std::size_t>(position.first) + 1];
            a.col_idxs[at] = position.second;
            a.values[at++] = value;
        }
        for (std::size_t row = 0; row < static_cast<std::size_t>(size_); ++row) a.row_ptrs[row + 1] += a.row_ptrs[row];
        return a;
    }

    struct Step {
        const char* name;
        void (SystemBuilder::*add)();
    };
    static const std::array<Step, 11> kinds;
    static const std::array<Step, 9> spoils;

private:
    using Entries = std::map<std::pair<index_t, index_t>, double>;

    index_t random_index() { return static_cast<index_t>(random_.below(size_)); }
    Entries::iterator random_entry() {
        return std::next(entries_.begin(), random_.below(static_cast<std::int64_t>(entries_.size())));
    }
    void put(index_t row, index_t col, double value) { entries_[{row, col}] = entries_[{col, row}] = value; }
    /// Symmetric entries off the diagonal, about `each` times two a row.
    template <class F>
    void pairs(std::int64_t each, F&& value) {
        for (auto left = each * size_; left > 0; --left) {
            const index_t row = random_index(), col = random_index();
            if (row != col) put(row, col, value());
        }
    }

    Random& random_;
    index_t size_;
    Entries entries_;
};

// Those that can be solved are the most frequent.
const std::array<SystemBuilder::Step, 11> SystemBuilder::kinds{{{"dominant", &SystemBuilder::dominant},
                                                                {"dominant", &SystemBuilder::dominant},
                                                                {"dominant", &SystemBuilder::dominant},
                                                                {"path", &SystemBuilder::path},
                                                                {"nodes", &SystemBuilder::nodes},
                                                                {"nodes", &SystemBuilder::nodes},
                                                                {"diagonal", &SystemBuilder::diagonal},
                                                                {"graph Laplacian", &SystemBuilder::graph_laplacian},
                                                                {"gram", &SystemBuilder::gram},
                                                                {"indefinite", &SystemBuilder::indefinite},
                                                                {"nearly empty", &SystemBuilder::nothing}}};
const std::array<SystemBuilder::Step, 9> SystemBuilder::spoils{
    {{"scaled", &SystemBuilder::scale},
     {"scaled rows and columns", &SystemBuilder::scale_rows_and_columns},
     {"rounded otherwise", &SystemBuilder::round_otherwise},
     {"explicit zeros", &SystemBuilder::explicit_zeros},
     {"a tiny entry without partner", &SystemBuilder::tiny_without_partner},
     {"an entry dropped", &SystemBuilder::drop_partner},
     {"an unsymmetric entry", &SystemBuilder::unsymmetric_entry},
     {"an entry of NaN, Inf or 1e308", &SystemBuilder::not_finite},
     {"times 1e308", &SystemBuilder::near_limits}}};

std::vector<double> product(const CsrMatrix<double>& a, const std::vector<double>& x) {
    std::vector<double> y(x.size(), 0.0);
    for (std::size_t row = 0; row < y.size(); ++row) {
        for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < static_cast<std::size_t>(a.row_ptrs[row + 1]); ++p)
            y[row] += a.values[p] * x[static_cast<std::size_t>(a.col_idxs[p])];
    }
    return y;
}

std::vector<double> random_vector(Random& random, const CsrMatrix<double>& a, std::string& description) {
    std::vector<double> v(static_cast<std::size_t>(a.rows));
    for (double& value : v) value = random.number();
    const auto say = [&](const std::string& what) { description += (description.back() == ' ' ? "" : "+") + what; };
    switch (random.below(8)) {
        case 0:
            std::ranges::fill(v, 0.0);
            say("0");
            return v;
        case 1:
            std::ranges::fill(v, 1.0);
            say("1");
            break;
        case 2:
        case 3:
            v = product(a, v);
            say("A*x");
            break;
        case 4:
            if (!v.empty()) {
                std::ranges::fill(v, 0.0);
                v[static_cast<std::size_t>(random.below(a.rows))] = 1;
            }
            say("unit");
            break;
        default:
            say("random");
    }
    if (random.once_in(4)) {
        const int exponent = random_exponent(random, random.pick(std::array{30, 120, 500, 1070}));
        for (double& value : v) value = std::ldexp(value, exponent);
        say(fmt::format("2^{}", exponent));
    }
    if (random.once_in(20) && !v.empty()) {
        v[static_cast<std::size_t>(random.below(a.rows))] = random.pick(std::array{kNan, kInfinity, 1e308, 5e-324});
        say("one odd value");
    }
    return v;
}

}  // namespace

RandomSystem random_system(Random& random) {
    RandomSystem s;
    SystemBuilder builder(random, static_cast<index_t>(random.below(random.pick(std::array{4, 20, 61}))));
    const auto& kind = random.pick(SystemBuilder::kinds);
    (builder.*kind.add)();
    s.description = kind.name;
    for (auto left = random.pick(std::array{0, 0, 0, 1, 1, 2}); left > 0; --left) {
        const auto& spoil = random.pick(SystemBuilder::spoils);
        (builder.*spoil.add)();
        s.description += fmt::format(", {}", spoil.name);
    }
    s.a = builder.matrix();
    s.description = fmt::format("{} unknowns, {} nonzeros, {}; b: ", s.a.rows, s.a.nnz(), s.description);
    for (auto left = 1 + random.below(3); left > 0; --left) {
        s.b.push_back(random_vector(random, s.a, s.description));
        s.description += left > 1 ? ", " : "";
    }
    if (random.once_in(4)) {
        s.description += "; x0: ";
        s.x0 = random_vector(random, s.a, s.description);
    }
    return s;
}

}  // namespace tilespmv::fuzz
