#include "kernels/solver/solve.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernels/require_square.hpp"
#include "kernels/solver/conjugate_gradients.hpp"
#include "kernels/solver/cpu_space.hpp"
#include "kernels/solver/device_space.hpp"
#include "kernels/solver/solver_machine.hpp"
#include "kernels/solver/solver_model.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

constexpr int kChecksOnGpu = 32;  ///< iterations from check to check

void require(bool fits, const char* what, std::size_t found, std::size_t expected) {
    if (fits) return;
    throw Error(
        fmt::format("the preconditioner does not fit the matrix: {}, found {}, expected {}", what, found, expected));
}

/// Throws `Error` unless every part has the size that a matrix of so many rows needs.
template <class T>
void check_parts(const PreconditionerParts<T>& parts, index_t rows) {
    const auto size = static_cast<std::size_t>(rows);
    require(parts.size == rows, "rows", static_cast<std::size_t>(parts.size), size);
    const std::size_t values = parts.inverse_diagonal.size();
    require(values == 0 || values == size, "values of the inverse diagonal", values, size);
    for (const auto& stage : parts.stages) {
        require(stage.rows == rows, "rows of a stage", static_cast<std::size_t>(stage.rows), size);
        require(stage.cols == rows, "columns of a stage", static_cast<std::size_t>(stage.cols), size);
        validate_row_ptrs(stage);
    }
}

template <class T>
std::shared_ptr<Preconditioner<T>> required(std::shared_ptr<Preconditioner<T>> m) {
    if (!m) throw Error("to solve needs a preconditioner, found a null pointer; `none` is M = I");
    return m;
}

}  // namespace

Method method_of(const RecurrenceChoice& choice) {
    return choice.is_chronopoulos_gear ? Method::chronopoulos_gear : Method::textbook;
}

std::string_view method_name(Method method) { return method == Method::textbook ? "textbook" : "chronopoulos-gear"; }

template <class T>
Solver<T>::Solver(CsrMatrix<T> a, const SolverOptions& options, const TrialSolve<T>& trial)
    : a_(std::move(a)), backend_(options.backend) {
    set_up(a_, options, trial);
}

template <class T>
Solver<T>::Solver(CsrMatrix<T> a, std::shared_ptr<Preconditioner<T>> m, const SolverOptions& options)
    : a_(std::move(a)), backend_(options.backend), preconditioner_(required(std::move(m))) {
    set_up(a_, options, {});
}

template <class T>
Solver<T>::Solver(const cuda::DeviceCsrView<T>& a, const SolverOptions& options, const TrialSolve<T>& trial,
                  const Operator<T>* by)
    : on_device_(a), backend_(Backend::cuda) {
    set_up(*on_device_, options, trial, by);
}

template <class T>
Solver<T>::Solver(const cuda::DeviceCsrView<T>& a, std::shared_ptr<Preconditioner<T>> m, const SolverOptions& options,
                  const Operator<T>* by)
    : on_device_(a), backend_(Backend::cuda), preconditioner_(required(std::move(m))) {
    set_up(*on_device_, options, {}, by);
}

template <class T>
Solver<T>::Solver(const Operator<T>& a, const Operator<T>* m, const SolverOptions& options)
    : backend_(options.backend) {
    if (a.rows() != a.cols() || (m != nullptr && (m->rows() != a.rows() || m->cols() != a.cols()))) {
        throw Error("to solve needs a square matrix and a preconditioner of the same size");
    }
    if (backend_ == Backend::cuda) {
        space_ = make_device_space<T>(a, m);
    } else {
        space_ = std::make_unique<CpuSpace<T>>(SystemOperator<T>(a), preconditioner_of(m));
    }
    make_iteration(options);
}

template <class T>
Solver<T>::~Solver() = default;

template <class T>
std::size_t Solver<T>::size() const {
    return space_->size();
}

template <class T>
std::string_view Solver<T>::operator_name() const {
    return space_->operator_name();
}

template <class T>
std::string_view Solver<T>::operator_specification() const {
    return space_->operator_specification();
}

template <class T>
std::string Solver<T>::how() const {
    return space_->how();
}

template <class T>
bool Solver<T>::is_persistent() const {
    return space_->is_persistent();
}

/// With the preconditioner that was given, or one that is made.
template <class T>
template <class Matrix, class... By>
void Solver<T>::set_up(const Matrix& a, const SolverOptions& options, const TrialSolve<T>& trial, const By*... by) {
    require_square(a, "to solve");
    if (options.constant_null_space) check_constant_null_space(a);
    if (preconditioner_) {
        check_parts(preconditioner_->parts(), a.rows);
    } else {
        preconditioner_choice_.specification = options.preconditioner;
        if (options.preconditioner == kAutoPreconditioner) {
            auto chosen = choose_preconditioner(a, options, trial, by...);
            preconditioner_choice_ = std::move(chosen.choice);
            preconditioner_ = std::move(chosen.made);
        }
        if (!preconditioner_) preconditioner_ = make_preconditioner<T>(preconditioner_choice_.specification, a);
    }
    make_space(options, by...);
    make_iteration(options);
}

template <class T>
void Solver<T>::make_space(const SolverOptions& options, const Operator<T>* by) {
    if (backend_ == Backend::cpu) {
        const auto make = CpuSpace<T>::make;
        space_ = std::make_unique<CpuSpace<T>>(SystemOperator<T>(options.operator_name, a_, make),
                                               preconditioner_of<T>(preconditioner_->parts(), make));
        return;
    }
    space_ = make_device_space<T>(matrix(), preconditioner_->parts(), options, by);
}

/// As far as it is known: of operators of the caller's neither their bytes nor whether M is diagonal.
template <class T>
IteratedSystem Solver<T>::describe_system(bool constant_null_space) const {
    IteratedSystem system{.rows = static_cast<double>(space_->size()), .value_bytes = sizeof(T)};
    const auto [rows, nnz] = on_device_ ? std::pair(on_device_->rows, on_device_->nnz) : std::pair(a_.rows, a_.nnz());
    system.matrix_bytes = csr_bytes(rows, static_cast<double>(nnz), sizeof(T));
    system.fuses_diagonal = preconditioner_ && preconditioner_->parts().is_diagonal() && !constant_null_space;
    system.is_persistent = space_->is_persistent();
    return system;
}

template <class T>
void Solver<T>::make_iteration(const SolverOptions& options) {
    if (options.method) {
        method_ = *options.method;
    } else {
        const auto machine = options.machine != nullptr ? *options.machine : solver_machine(backend_, sizeof(T));
        const auto choice = choose_recurrence(describe_system(options.constant_null_space), machine);
        method_ = method_of(choice);
        method_reason_ = choice.why;
    }
    iteration_ = std::make_unique<ConjugateGradients<T>>(*space_, method_, options.constant_null_space);
}

template <class T>
int Solver<T>::check_every(const SolveOptions& options) const {
    if (options.check_every != 0) return options.check_every;
    return backend_ == Backend::cpu ? 1 : kChecksOnGpu;
}

template <class T>
SolveReport Solver<T>::solve(std::span<const T> b, std::span<T> x, const SolveOptions& options) {
    require_ready();
    SolveOptions filled = options;
    filled.check_every = check_every(options);
    return iteration_->solve(b, x, filled);
}

template <class T>
SolveReport Solver<T>::solve(cuda::DeviceSpan<const T> b, cuda::DeviceSpan<T> x, const SolveOptions& options) {
    if (backend_ == Backend::cpu) throw Error("a solver on the CPU needs b and x in the memory of the host");
    if (size() > 0 && (b.data() == nullptr || x.data() == nullptr))
        throw Error("a solve needs b and x in the memory of the GPU, found a null pointer");
    require_ready();
    SolveOptions filled = options;
    filled.check_every = check_every(options);
    return iteration_->solve(Vector<const T>{b.data(), b.size()}, Vector<T>{x.data(), x.size()}, filled);
}

template <class T>
std::function<SolveReport(const SolveOptions&)> Solver<T>::load(std::span<const T> b) {
    const Vector<T> copy = space_->make_vector(), x = space_->make_vector();
    space_->upload(b, copy);
    return [this, copy, x](SolveOptions options) {
        options.check_every = check_every(options);
        return iteration_->solve(Vector<const T>{copy.data, copy.size}, x, options);
    };
}

template <class T>
void Solver<T>::take_new_values() {
    if (!on_device_) throw Error("only a matrix on a GPU has new values without `update_values`");
    follow_values();
}

template <class T>
SystemMatrix<T> Solver<T>::matrix() const {
    if (on_device_) return *on_device_;
    return a_;
}

/// The matrix has them.
template <class T>
void Solver<T>::follow_values() {
    is_ready_ = false;
    if (iteration_->keeps_out_constants())
        on_device_ ? check_constant_null_space(*on_device_) : check_constant_null_space(a_);
    preconditioner_->update_values(a_);
    check_parts(preconditioner_->parts(), static_cast<index_t>(size()));
    space_->update_values(matrix());
    is_ready_ = true;
}

/// What A and M are is not the same after new values that were refused.
template <class T>
void Solver<T>::require_ready() const {
    if (!is_ready_) throw Error("the last new values of the matrix were refused: give others before the next solve");
}

template <class T>
void Solver<T>::update_values(std::span<const T> values) {
    if (!preconditioner_) throw Error("a solver of operators takes no new values; make it again");
    if (on_device_) throw Error("the matrix is on the GPU: change its values there and call `take_new_values`");
    if (values.size() != a_.values.size()) {
        throw Error(fmt::format("the matrix has {} nonzeros, found {} new values", a_.values.size(), values.size()));
    }
    std::ranges::copy(values, a_.values.begin());
    follow_values();
}

template class Solver<double>;
template class Solver<float>;

}  // namespace tilespmv::solver
