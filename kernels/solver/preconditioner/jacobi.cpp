#include "kernels/solver/preconditioner/jacobi.hpp"

#include "kernels/solver/preconditioner/triangle.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::solver {
namespace {

template <class T>
class None final : public Preconditioner<T> {
public:
    None(index_t rows, bool is_there) : is_there_(is_there) { this->parts_.size = rows; }
    void update_values(const CsrMatrix<T>& a) override {
        if (!is_there_) require_rows(a, static_cast<std::size_t>(this->parts_.size));
    }

private:
    bool is_there_;  // the matrix, on a GPU
};

template <class T>
class Jacobi final : public Preconditioner<T> {
public:
    explicit Jacobi(const CsrMatrix<T>& a) : positions_(static_cast<std::size_t>(a.rows)) {
        this->parts_.size = a.rows;
        this->parts_.inverse_diagonal = Buffer<T>(positions_.size());
        Jacobi::update_values(a);
    }
    void update_values(const CsrMatrix<T>& a) override {
        find_diagonal(a, "jacobi", positions_);
        auto& inverse = this->parts_.inverse_diagonal;
        parallel_for(0, a.rows, 4096, [&](std::int64_t i) {
            const auto row = static_cast<std::size_t>(i);
            inverse[row] = in_range<T>(1 / double{a.values[static_cast<std::size_t>(positions_[row])]}, "jacobi", i);
        });
    }

private:
    Buffer<offset_t> positions_;  // of the diagonal
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_none(const CsrMatrix<T>& a, Options& options) {
    options.finish();
    return std::make_unique<None<T>>(a.rows, false);
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_none(const cuda::DeviceCsrView<T>& a, Options& options) {
    options.finish();
    return std::make_unique<None<T>>(a.rows, true);
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const CsrMatrix<T>& a, Options& options) {
    options.finish();
    return std::make_unique<Jacobi<T>>(a);
}

#define TILESPMV_INSTANTIATE(T)                                                                     \
    template std::unique_ptr<Preconditioner<T>> make_none(const CsrMatrix<T>&, Options&);           \
    template std::unique_ptr<Preconditioner<T>> make_none(const cuda::DeviceCsrView<T>&, Options&); \
    template std::unique_ptr<Preconditioner<T>> make_jacobi(const CsrMatrix<T>&, Options&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
