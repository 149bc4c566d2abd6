#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <petscmat.h>

#include "kernels/registry.hpp"

#if defined(PETSC_USE_COMPLEX)
#error "tilespmv multiplies real values: this PETSc has complex ones"
#endif

namespace tilespmv::petsc {

/// What the options of a matrix say.
struct Settings {
    std::string operator_name = "auto";
    Backend backend = Backend::cpu;
    bool is_shown = false;  ///< choices are printed when they are made

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// The arrays of an AIJ matrix of one process, and the number by which PETSc tells its patterns apart.
struct AijArrays {
    PetscInt rows = 0;
    PetscInt cols = 0;
    const PetscInt* row_ptrs = nullptr;
    const PetscInt* col_idxs = nullptr;
    const PetscScalar* values = nullptr;
    PetscObjectState pattern = -1;

    friend bool operator==(const AijArrays&, const AijArrays&) = default;
};

/// The operators that multiply an AIJ matrix of one process, beside the matrix: made when a product needs them, given
/// its new values when these have changed, and made again when its pattern has. They read the arrays of the matrix
/// where these serve them as they are.
class Shadow {
public:
    static constexpr int kVector = 0;  ///< for a number of columns: a vector of PETSc

    /// None until they are set.
    [[nodiscard]] const std::optional<Settings>& settings() const { return settings_; }
    /// Other ones than before make the operators anew.
    void set(const Settings& settings);

    /// Whether it is that of this matrix in this state.
    [[nodiscard]] bool is_of(Mat matrix, PetscObjectState state) const { return matrix == matrix_ && state == state_; }
    /// Whether it is that of this matrix, but for its values.
    [[nodiscard]] bool has_pattern(Mat matrix, const AijArrays& arrays) const {
        return matrix == matrix_ && arrays == arrays_;
    }
    /// Becomes that.
    void follow(Mat matrix, PetscObjectState state, const AijArrays& arrays);
    [[nodiscard]] offset_t nnz() const { return csr_ ? csr_->nnz() : 0; }

    /// Whether AIJ multiplies vectors itself: so few nonzeros take less time than a call of an operator.
    [[nodiscard]] bool leaves_vectors_to_aij() const;
    /// Whether `prepare` has nothing to do.
    [[nodiscard]] bool is_prepared(Op op, int columns) const;
    /// Makes the operator for products with a vector, or with so many columns of a dense matrix, which may have one of
    /// their own.
    void prepare(Op op, int columns);
    /// y = op(A) x + beta y, where beta is 0 or 1.
    void multiply(const Block<const PetscScalar>& x, PetscScalar beta, const Block<PetscScalar>& y, const Run& run);

    /// Which operator multiplies a vector, and why: a line.
    [[nodiscard]] std::string choice();

private:
    using Product = std::unique_ptr<Operator<PetscScalar>>;

    void take_pattern();
    void sort_rows();
    void take_values();
    [[nodiscard]] Product make(const std::string& specification) const;
    [[nodiscard]] bool takes_block_product(Op op, int columns) const;
    void multiply_nonempty(const Operator<PetscScalar>& product, const Block<const PetscScalar>& x, PetscScalar beta,
                           const Block<PetscScalar>& y, const Run& run);

    std::optional<Settings> settings_;
    Mat matrix_ = nullptr;
    PetscObjectState state_ = -1;
    AijArrays arrays_;
    std::unique_ptr<CsrMatrix<PetscScalar>> csr_;  // stays where it is: operators read it
    std::vector<PetscInt> nonempty_;               // its rows in the matrix, if it has only these
    Buffer<offset_t> order_;                       // places of its values in the matrix, if rows had to be sorted
    Product product_;
    Product block_product_;  // for several columns
    std::vector<PetscScalar> part_;
};

}  // namespace tilespmv::petsc
