#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/operator.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/space.hpp"
#include "kernels/source.hpp"
#include "tile/csr.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {

/// A matrix that operators of a system are made of, in the memory of the host or in that of a GPU. It must outlive
/// them, and its values may change.
template <class T>
struct SystemMatrix {
    SystemMatrix(const CsrMatrix<T>& a) : here(&a) {}             // NOLINT(google-explicit-constructor)
    SystemMatrix(const cuda::DeviceCsrView<T>& a) : there(&a) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] Source<T> source() const { return here != nullptr ? Source<T>(*here) : Source<T>(*there); }
    [[nodiscard]] Block<const T> values() const {
        if (there != nullptr) return {there->values, static_cast<std::size_t>(there->nnz), Memory::device};
        return {here->values.data(), here->values.size()};
    }

    const CsrMatrix<T>* here = nullptr;
    const cuda::DeviceCsrView<T>* there = nullptr;
};

/// An operator that a system is multiplied by: the caller's, or one of its own that follows the values of its matrix.
template <class T>
class SystemOperator {
public:
    /// Makes an operator where the vectors of the system are.
    using Make = std::function<std::unique_ptr<Operator<T>>(const std::string& specification, const Source<T>& a)>;

    /// The caller's, which must outlive it and whose values the caller changes. `workspace`: that it works in here;
    /// null: its own.
    explicit SystemOperator(const Operator<T>& a, std::shared_ptr<cuda::Workspace> workspace = nullptr)
        : workspace_(std::move(workspace)), a_(&a) {}
    /// Its own. The matrix must outlive it.
    SystemOperator(std::string specification, const SystemMatrix<T>& matrix, Make make)
        : specification_(std::move(specification)),
          make_(std::move(make)),
          own_(make_(specification_, matrix.source())),
          a_(own_.get()) {}

    [[nodiscard]] const Operator<T>& get() const { return *a_; }
    [[nodiscard]] cuda::Workspace* workspace() const { return workspace_.get(); }
    /// The matrix has new values, which `give(operator, values)` brings to an operator that takes them; any other is
    /// made again. False if it is another operator from now on.
    template <class Give>
    bool follow_values(const SystemMatrix<T>& matrix, Give&& give) {
        if (own_ == nullptr || own_->facts().no_new_values == kReadInPlace) return true;
        if (own_->takes_new_values()) {
            give(*own_, matrix.values());
            return true;
        }
        own_ = make_(specification_, matrix.source());
        a_ = own_.get();
        return false;
    }

private:
    std::string specification_;
    Make make_;
    std::unique_ptr<Operator<T>> own_;
    std::shared_ptr<cuda::Workspace> workspace_;
    const Operator<T>* a_;
};

/// M as a space applies it: products by the stages one after the other; without stages the diagonal of `parts`, or I.
template <class T>
struct SystemPreconditioner {
    std::vector<SystemOperator<T>> stages;
    const PreconditionerParts<T>* parts = nullptr;  ///< null: M is the caller's operator, or I
};

/// Of parts that fit each other and must outlive it.
template <class T>
SystemPreconditioner<T> preconditioner_of(const PreconditionerParts<T>& parts,
                                          const typename SystemOperator<T>::Make& make) {
    SystemPreconditioner<T> m{{}, &parts};
    for (const auto& matrix : parts.stages) m.stages.emplace_back(parts.operators, matrix, make);
    for (const auto& matrix : parts.stages_there) m.stages.emplace_back(parts.operators, matrix, make);
    return m;
}
/// Of an operator of the caller's, which must outlive it; null is I.
template <class T>
SystemPreconditioner<T> preconditioner_of(const Operator<T>* of_caller) {
    SystemPreconditioner<T> m;
    if (of_caller != nullptr) m.stages.emplace_back(*of_caller);
    return m;
}

/// A space with the matrix and the preconditioner of a system.
template <class T>
class SystemSpace : public Space<T> {
public:
    /// The operator that multiplies by A, as its table calls it; lives as long as the space.
    [[nodiscard]] std::string_view operator_name() const { return a_.get().name(); }
    /// With its options, `name[:option=value,...]`.
    [[nodiscard]] std::string_view operator_specification() const { return a_.get().specification(); }
    /// How iterations are run, for a report: "CPU, 4 threads", "GPU, graphs of 32 iterations".
    [[nodiscard]] virtual std::string how() const = 0;
    /// Whether one kernel does blocks of iterations.
    [[nodiscard]] virtual bool is_persistent() const { return false; }

    /// The matrix `a` that the operator was made of, and the parts of M, have new values, with the patterns and sizes
    /// of before. Allocates nothing but for the first ones, if the operators take new values; others are made again.
    /// Throws `Error`, for a preconditioner of another kind, too.
    virtual void update_values(const SystemMatrix<T>& a) {
        follow_matrix(a);
        follow_preconditioner();
    }
    /// The same of M alone. False if an operator of it is another one from now on.
    bool follow_preconditioner() {
        if (m_.parts == nullptr) return true;
        const auto& parts = *m_.parts;
        const std::size_t here = parts.stages.size();
        if (here + parts.stages_there.size() != m_.stages.size() || parts.inverse_diagonal.size() != diagonal_size_)
            throw Error("new values of a preconditioner are of another kind than those before");
        if (diagonal_size_ > 0) set_diagonal(parts.inverse_diagonal);
        bool is_same = true;
        for (std::size_t i = 0; i < here; ++i) is_same &= follow(m_.stages[i], parts.stages[i]);
        for (std::size_t i = here; i < m_.stages.size(); ++i)
            is_same &= follow(m_.stages[i], parts.stages_there[i - here]);
        return is_same;
    }

    [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(a_.get().rows()); }
    void multiply(Vector<const T> x, Vector<T> y) override { apply(a_, 1, x, 0, y); }
    void residual(Vector<const T> b, Vector<const T> x, Vector<T> r) override {
        this->copy(b, r);
        apply(a_, -1, x, 1, r);
    }
    void precondition(Vector<const T> r, Vector<T> w) override {
        if (is_diagonal()) return times_diagonal(r, w);
        for (std::size_t i = 0; i < m_.stages.size(); ++i) {
            const Vector<T> to = i < between_.size() ? between_[i] : w;
            apply(m_.stages[i], 1, r, 0, to);
            r = {to.data, to.size};
        }
    }

protected:
    /// `memory`, `stream`: where products find their vectors, and where they run.
    SystemSpace(SystemOperator<T> a, SystemPreconditioner<T> m, Memory memory, CUstream_st* stream)
        : a_(std::move(a)),
          m_(std::move(m)),
          diagonal_size_(m_.parts == nullptr ? 0 : m_.parts->inverse_diagonal.size()),
          memory_(memory),
          stream_(stream) {}
    /// By the constructors of spaces, once they can make vectors.
    void make_vectors_between() {
        for (std::size_t i = 1; i < m_.stages.size(); ++i) between_.push_back(this->make_vector());
    }

    /// M is diagonal, or I.
    [[nodiscard]] bool is_diagonal() const { return m_.stages.empty(); }
    /// On the host; null of I, and of one that a GPU has computed.
    [[nodiscard]] const Buffer<T>* inverse_diagonal() const {
        return diagonal_size_ > 0 ? &m_.parts->inverse_diagonal : nullptr;
    }
    /// Where a GPU has computed it; else null.
    [[nodiscard]] const T* inverse_there() const { return m_.parts == nullptr ? nullptr : m_.parts->inverse_there; }
    /// w = M r of a diagonal M, or I.
    virtual void times_diagonal(Vector<const T> r, Vector<T> w) = 0;
    /// It has these values now.
    virtual void set_diagonal(const Buffer<T>& values) = 0;
    /// New values for an operator that takes them; returns when they are not needed any more.
    virtual void give_values(Operator<T>& to, const Block<const T>& values) = 0;
    /// As `update_values` of A alone; false if its operator is another one from now on.
    bool follow_matrix(const SystemMatrix<T>& a) { return follow(a_, a); }

private:
    bool follow(SystemOperator<T>& one, const SystemMatrix<T>& matrix) {
        return one.follow_values(matrix,
                                 [this](Operator<T>& to, const Block<const T>& values) { give_values(to, values); });
    }
    void apply(const SystemOperator<T>& a, T alpha, Vector<const T> x, T beta, Vector<T> y) const {
        a.get().apply(alpha, Block<const T>(x.data, x.size, memory_), beta, Block<T>(y.data, y.size, memory_),
                      Run(stream_, a.workspace()));
    }

    SystemOperator<T> a_;
    SystemPreconditioner<T> m_;
    std::size_t diagonal_size_;
    std::vector<Vector<T>> between_;  // results of all stages but the last
    Memory memory_;
    CUstream_st* stream_;
};

}  // namespace tilespmv::solver
