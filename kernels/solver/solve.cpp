#include "kernels/solver/solve.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "kernels/solver/cpu_space.hpp"
#include "kernels/solver/device_space.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

constexpr int kChecksOnGpu = 32;  ///< iterations from check to check

/// Operators of the CPU that multiply the CSR matrix where it lies.
bool reads_in_place(std::string_view name) { return name == "csr-omp" || name == "reference"; }

}  // namespace

Method default_method(Backend backend) {
    return backend == Backend::cpu ? Method::textbook : Method::chronopoulos_gear;
}

std::string_view method_name(Method method) { return method == Method::textbook ? "textbook" : "chronopoulos-gear"; }

template <class T>
Solver<T>::Solver(CsrMatrix<T> a, const SolverOptions& options)
    : a_(std::move(a)),
      method_(options.method.value_or(default_method(options.backend))),
      backend_(options.backend),
      constant_null_space_(options.constant_null_space) {
    if (a_.rows != a_.cols) {
        throw Error(fmt::format("to solve needs a square matrix, found {} rows and {} columns", a_.rows, a_.cols));
    }
    const auto before = std::chrono::steady_clock::now();
    preconditioner_ = make_preconditioner<T>(options.preconditioner, a_);
    preconditioner_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    if (backend_ == Backend::cuda) {
        space_ = make_device_space<T>(a_, preconditioner_->parts(),
                                      {.operator_name = options.operator_name,
                                       .constant_null_space = constant_null_space_,
                                       .use_persistent_kernel = options.use_persistent_kernel});
    } else {
        make_cpu_space(options);
    }
    iteration_ = std::make_unique<ConjugateGradients<T>>(*space_, method_, constant_null_space_);
}

template <class T>
void Solver<T>::make_cpu_space(const SolverOptions& options) {
    host_preconditioner_ = make_host_preconditioner<T>(preconditioner_->parts());
    const auto make = [this, name = options.operator_name] { return make_operator<T>(name, MatrixForms<T>(&a_)); };
    auto made = make();
    const bool is_current = reads_in_place(made->name());
    space_ = std::make_unique<CpuSpace<T>>(std::move(made), *host_preconditioner_,
                                           is_current ? typename CpuSpace<T>::Remake{} : make);
}

template <class T>
Solver<T>::Solver(const Operator<T>& a, const Operator<T>* m, const SolverOptions& options)
    : method_(options.method.value_or(default_method(Backend::cpu))),
      backend_(Backend::cpu),
      constant_null_space_(options.constant_null_space) {
    if (a.rows() != a.cols() || (m != nullptr && (m->rows() != a.rows() || m->cols() != a.cols()))) {
        throw Error("to solve needs a square matrix and a preconditioner of the same size");
    }
    if (m != nullptr) {
        host_preconditioner_ = std::make_unique<OperatorPreconditioner<T>>(*m);
    } else {
        PreconditionerParts<T> none;
        none.size = a.rows();
        host_preconditioner_ = make_host_preconditioner<T>(AnyPreconditionerParts(std::move(none)));
    }
    space_ = std::make_unique<CpuSpace<T>>(a, *host_preconditioner_);
    iteration_ = std::make_unique<ConjugateGradients<T>>(*space_, method_, constant_null_space_);
}

template <class T>
int Solver<T>::check_every(const SolveOptions& options) const {
    if (options.check_every != 0) return options.check_every;
    return backend_ == Backend::cpu ? 1 : kChecksOnGpu;
}

template <class T>
SolveReport Solver<T>::solve(std::span<const T> b, std::span<T> x, const SolveOptions& options) {
    SolveOptions filled = options;
    filled.check_every = check_every(options);
    return iteration_->solve(b, x, filled);
}

template <class T>
void Solver<T>::update_values(std::span<const T> values) {
    if (!preconditioner_) throw Error("a solver of operators takes no new values; make it again");
    if (values.size() != a_.values.size()) {
        throw Error(fmt::format("the matrix has {} nonzeros, found {} new values", a_.values.size(), values.size()));
    }
    std::ranges::copy(values, a_.values.begin());
    preconditioner_->update_values(a_);
    space_->update_values(values, preconditioner_->parts());
}

template class Solver<double>;
template class Solver<float>;

}  // namespace tilespmv::solver
