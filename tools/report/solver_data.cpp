#include "tools/report/solver_data.hpp"

#include <cmath>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/ssor_forms.hpp"
#include "selector/models/solver_model.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

SolverMachine machine_of(const Probe& probe) {
    const auto known =
        probe.is_gpu ? gpu_solver_machine(with_measured_rates(cuda::measured_gpu(sizeof(double)), probe).tuning.memory)
                     : cpu_solver_machine();
    return with_measured_rates(known, probe);
}

Json figures(const SolverMachine& m) {
    return {{"cache_bytes", m.cache_bytes},        {"cached_launch_s", m.cached_launch_seconds},
            {"cached_rate", m.cached_bytes_per_s}, {"launch_s", m.launch_seconds},
            {"memory_rate", m.bytes_per_s},        {"meeting_s", m.meeting_seconds},
            {"rank_sum_s", m.rank_sum_seconds}};
}

Json measured_figures(const Probe& probe) {
    Json names = Json::array();
    if (probe.cache_bytes > 0) names.push_back("cache_bytes");
    if (probe.cache_rate > 0) names.push_back("cached_rate");
    if (probe.copy_rate > 0) names.push_back("memory_rate");
    return names;
}

Json recurrence(std::string_view name, bool fuses_diagonal, const RecurrenceShape& shape) {
    return {{"name", name},
            {"fuses_diagonal", fuses_diagonal},
            {"launches", shape.launches},
            {"meetings", shape.meetings},
            {"sums", shape.sums},
            {"values", shape.values}};
}

Json recurrences() {
    Json all = Json::array();
    for (const bool fuses : {true, false}) {
        all.push_back(recurrence("chronopoulos-gear", fuses, chronopoulos_gear_shape(fuses)));
        all.push_back(recurrence("textbook", fuses, textbook_shape(fuses)));
    }
    return all;
}

Json iterations(const SolverMachine& machine) {
    constexpr double kPoints = 7;
    Json all = Json::array();
    for (const bool fuses : {true, false}) {
        for (int quarter = 12; quarter <= 28; ++quarter) {
            const double rows = std::round(std::pow(10, quarter / 4.0));
            const IteratedSystem system{
                .rows = rows, .matrix_bytes = csr_bytes(rows, kPoints * rows, sizeof(double)), .fuses_diagonal = fuses};
            const auto choice = choose_recurrence(system, machine);
            all.push_back({{"rows", rows},
                           {"fuses_diagonal", fuses},
                           {"chronopoulos_gear_s", choice.chronopoulos_gear.total()},
                           {"textbook_s", choice.textbook.total()},
                           {"chosen", choice.is_chronopoulos_gear ? "chronopoulos-gear" : "textbook"}});
        }
    }
    return all;
}

/// M as products of which each is by the operator of the least predicted time.
Json chain(const solver::PreconditionerParts<double>& parts, const Profile& profile, const SolverMachine& machine) {
    Json operators = Json::array();
    double nonzeros = 0;
    double seconds = 0;
    for (const auto& stage : parts.stages) {
        const auto question = question_on(profile.probe, features_of(pattern_of(stage.matrix)));
        auto taken = rank_operators(question, profile);
        if (taken.empty()) taken = rank_operators(question);  // there are no models yet
        operators.push_back(taken.front().specification);
        nonzeros += static_cast<double>(stage.matrix.nnz());
        seconds += taken.front().seconds;
        if (profile.probe.is_gpu && !stage.diagonal.empty())
            seconds += predict_chain({.rows = static_cast<double>(parts.size), .diagonals = 1}, machine);
    }
    return {{"operators", operators}, {"nonzeros", nonzeros}, {"seconds", seconds}};
}

Json ssor_forms(const Profile& profile, const SolverMachine& machine) {
    Json all = Json::array();
    for (const char* grid : {"laplace3d:n=12", "laplace3d:n=32"}) {
        const auto a = generate<double>(grid);
        for (const int order : {1, 2}) {
            for (const char* form : {"factors", "pair", "explicit"}) {
                if (order == 1 && std::string_view(form) == "pair") continue;  // the factors are a pair
                const auto m = solver::make_preconditioner<double>(solver::ssor_specification(order, form), a);
                Json one{{"system", grid}, {"rows", a.rows}, {"order", order}, {"form", form}};
                one.update(chain(std::get<solver::PreconditionerParts<double>>(m->parts()), profile, machine));
                all.push_back(std::move(one));
            }
        }
    }
    return all;
}

}  // namespace

Json solver_data(const Profile& profile) {
    if (profile.probe.copy_rate <= 0) return nullptr;
    const SolverMachine machine = machine_of(profile.probe);
    return {{"figures", figures(machine)},
            {"measured", measured_figures(profile.probe)},
            {"recurrences", recurrences()},
            {"iterations", iterations(machine)},
            {"forms", ssor_forms(profile, machine)}};
}

}  // namespace tilespmv::tools
