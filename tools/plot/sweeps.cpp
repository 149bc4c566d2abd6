#include "tools/plot/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/options/options.hpp"
#include "tools/options/source.hpp"
#include "tools/plot/series.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::ResultSet;

/// The number of threads a row, 0 if it is not given; none for another operator or other options.
std::optional<int> threads_of(const Result& r) {
    try {
        Options options("operator", r.id.operator_name);
        if (options.name() != "csr-vector") return {};
        const auto threads = static_cast<int>(options.whole("threads", 0, 0, std::numeric_limits<int>::max()));
        options.finish();
        return threads;
    } catch (const Error&) {
        return {};
    }
}

/// Sweeps by matrix, value type and device, in the order in which they were measured.
class Sweeps {
public:
    explicit Sweeps(const ResultSet& set) {
        for (const auto& r : set.results) {
            values_.insert(r.id.values);
            devices_.insert(r.id.device);
        }
    }

    ThreadSweep& of(const Result& r) {
        std::string name = source_name(r.id.matrix);
        if (values_.size() > 1) name += fmt::format(" {}", r.id.values);
        if (devices_.size() > 1) name += fmt::format(" {}", r.id.device);
        const auto [place, is_new] = places_.try_emplace(name, all_.size());
        if (is_new) {
            all_.emplace_back();
            all_.back().matrix = std::move(name);
        }
        ThreadSweep& sweep = all_[place->second];
        if (r.rows > 0) sweep.nonzeros_per_row = static_cast<double>(r.nnz) / static_cast<double>(r.rows);
        return sweep;
    }

    std::vector<ThreadSweep> take() {
        std::erase_if(all_, [](const ThreadSweep& sweep) { return sweep.seconds.size() < 2; });
        return std::move(all_);
    }

private:
    std::set<std::string> values_;
    std::set<std::string> devices_;
    std::map<std::string, std::size_t> places_;
    std::vector<ThreadSweep> all_;
};

}  // namespace

std::string nonzeros_a_row(const ThreadSweep& sweep) {
    if (sweep.nonzeros_per_row >= 99.5) {
        return grouped(static_cast<std::int64_t>(std::llround(sweep.nonzeros_per_row))) + " nonzeros a row";
    }
    return fmt::format("{:.3g} nonzeros a row", sweep.nonzeros_per_row);
}

std::vector<ThreadSweep> thread_sweeps(const ResultSet& set) {
    Sweeps sweeps(set);
    for (const auto& r : set.results) {
        if (!is_drawable(r)) continue;
        const double seconds = metrics(r).seconds;
        if (r.id.operator_name == "csr-scalar") {
            sweeps.of(r).scalar = seconds;
        } else if (const auto threads = threads_of(r)) {
            ThreadSweep& sweep = sweeps.of(r);
            (*threads == 0 ? sweep.own_choice : sweep.seconds[*threads]) = seconds;
        }
    }
    return sweeps.take();
}

std::vector<Plot> sweep_plots(const ResultSet& set, const std::string& subtitle) {
    std::vector<Plot> plots;
    if (const auto sweeps = thread_sweeps(set); !sweeps.empty()) {
        plots.push_back({"threads", draw_thread_sweeps(sweeps, subtitle), ""});
    }
    return plots;
}

}  // namespace tilespmv::tools
