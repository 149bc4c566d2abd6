#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kernels/require_square.hpp"
#include "kernels/solver/preconditioner/jacobi.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/preconditioner/ssor_ai.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

/// The table.
template <class T>
const std::vector<PreconditionerInfo<T>>& table() {
    static const std::vector<PreconditionerInfo<T>> all{kNone<T>, kJacobi<T>, kSsorAi<T>};
    return all;
}

template <class T>
[[noreturn]] void refuse_name(const std::string& name) {
    if (name == kAutoPreconditioner) {
        throw Error("the preconditioner 'auto' stands alone, for what tries it: Solver, or choose_preconditioner",
                    ExitCode::usage);
    }
    std::string names;
    for (const auto& info : table<T>()) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
    throw Error(fmt::format("unknown preconditioner '{}'; there are {}", name, names), ExitCode::usage);
}

/// `make` is the function of an entry for such a matrix.
template <class Make, class T, class Matrix>
std::unique_ptr<Preconditioner<T>> make_by(Make PreconditionerInfo<T>::*make, std::string_view specification,
                                           const Matrix& a) {
    require_square(a, "a preconditioner");
    Options options("preconditioner", specification);
    const auto& all = table<T>();
    const auto found = std::ranges::find(all, options.name(), &PreconditionerEntry::name);
    if (found == all.end()) refuse_name<T>(options.name());
    return ((*found).*make)(a, options);
}

}  // namespace

template <class T>
std::span<const PreconditionerInfo<T>> preconditioners() {
    return table<T>();
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_preconditioner(std::string_view specification, const CsrMatrix<T>& a) {
    return make_by(&PreconditionerInfo<T>::make, specification, a);
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_preconditioner(std::string_view specification,
                                                       const cuda::DeviceCsrView<T>& a) {
    return make_by(&PreconditionerInfo<T>::make_there, specification, a);
}

#define TILESPMV_INSTANTIATE(T)                                                                             \
    template std::span<const PreconditionerInfo<T>> preconditioners<T>();                                   \
    template std::unique_ptr<Preconditioner<T>> make_preconditioner(std::string_view, const CsrMatrix<T>&); \
    template std::unique_ptr<Preconditioner<T>> make_preconditioner(std::string_view, const cuda::DeviceCsrView<T>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
