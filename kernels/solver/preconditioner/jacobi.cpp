#include "kernels/solver/preconditioner/jacobi.hpp"

#include "kernels/solver/preconditioner/triangle.hpp"
#include "kernels/solver/preconditioner/value_option.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::solver {
namespace {

template <class T>
class None final : public Preconditioner<T> {
public:
    explicit None(const CsrMatrix<T>& a) {
        PreconditionerParts<T> parts;
        parts.size = a.rows;
        this->parts_ = std::move(parts);
    }
    void update_values(const CsrMatrix<T>& a) override {
        require_rows(a, static_cast<std::size_t>(std::get<PreconditionerParts<T>>(this->parts_).size));
    }
};

template <class T, class V>
class Jacobi final : public Preconditioner<T> {
public:
    explicit Jacobi(const CsrMatrix<T>& a) : positions_(static_cast<std::size_t>(a.rows)) {
        PreconditionerParts<V> parts;
        parts.size = a.rows;
        parts.inverse_diagonal = Buffer<V>(positions_.size());
        this->parts_ = std::move(parts);
        Jacobi::update_values(a);
    }
    void update_values(const CsrMatrix<T>& a) override {
        find_diagonal(a, "jacobi", positions_);
        auto& inverse = std::get<PreconditionerParts<V>>(this->parts_).inverse_diagonal;
        parallel_for(0, a.rows, 4096, [&](std::int64_t i) {
            const auto row = static_cast<std::size_t>(i);
            inverse[row] = in_range<V>(1 / double{a.values[static_cast<std::size_t>(positions_[row])]}, "jacobi", i);
        });
    }

private:
    Buffer<offset_t> positions_;  // of the diagonal
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_none(const CsrMatrix<T>& a, Options& options) {
    options.finish();
    return std::make_unique<None<T>>(a);
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const CsrMatrix<T>& a, Options& options) {
    return make_with_values<Jacobi>(a, options);
}

#define TILESPMV_INSTANTIATE(T)                                                           \
    template std::unique_ptr<Preconditioner<T>> make_none(const CsrMatrix<T>&, Options&); \
    template std::unique_ptr<Preconditioner<T>> make_jacobi(const CsrMatrix<T>&, Options&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
