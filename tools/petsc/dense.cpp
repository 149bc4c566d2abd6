#include <algorithm>
#include <string>
#include <vector>

#include <petscsf.h>

#include "tools/petsc/matrix.hpp"

namespace tilespmv::petsc {
namespace {

/// Values of several vectors by rows, which the halo exchange sends a row at a time.
struct Rows {
    std::vector<PetscScalar> values;
    std::size_t rows = 0;
    int cols = 0;

    Rows(std::size_t count, int columns)
        : values(count * static_cast<std::size_t>(columns)), rows(count), cols(columns) {}
    [[nodiscard]] Block<PetscScalar> block() {
        return {values.data(),     rows,        cols, static_cast<std::size_t>(std::max(cols, 1)),
                Layout::row_major, Memory::host};
    }
};

/// The blocks of A and what exchanges halos between processes; of a sequential matrix the first block alone.
struct Parts {
    Shadow* diagonal = nullptr;
    Shadow* off_diagonal = nullptr;
    PetscSF exchange = nullptr;
    std::size_t halo = 0;
};

/// Kept with the off-diagonal block, which PETSc replaces when it is to have other columns.
PetscErrorCode exchange_of(Mat a, Mat off_diagonal, const PetscInt* ghosts, PetscInt halo, PetscSF* exchange) {
    PetscFunctionBegin;
    constexpr const char* kName = "tilespmv exchange";
    auto* const block = reinterpret_cast<PetscObject>(off_diagonal);
    PetscObject composed = nullptr;
    PetscCall(PetscObjectQuery(block, kName, &composed));
    *exchange = reinterpret_cast<PetscSF>(composed);
    if (composed != nullptr) PetscFunctionReturn(PETSC_SUCCESS);
    PetscLayout layout = nullptr;
    PetscCall(MatGetLayouts(a, nullptr, &layout));
    PetscCall(PetscSFCreate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), exchange));
    PetscCall(PetscSFSetGraphLayout(*exchange, layout, halo, nullptr, PETSC_OWN_POINTER, ghosts));
    PetscCall(PetscObjectCompose(block, kName, reinterpret_cast<PetscObject>(*exchange)));
    PetscCall(PetscObjectDereference(reinterpret_cast<PetscObject>(*exchange)));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode parts_of(Mat a, Op op, int columns, Parts* parts) {
    PetscFunctionBegin;
    PetscBool is_parallel = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(a), parallel_type().name, &is_parallel));
    if (!is_parallel) {
        PetscCall(current_shadow(a, op, columns, &parts->diagonal));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    Mat diagonal = nullptr, off_diagonal = nullptr;
    PetscInt halo = 0;
    const PetscInt* ghosts = nullptr;
    PetscCall(blocks_of(a, &diagonal, &off_diagonal));
    PetscCall(current_shadow(diagonal, op, columns, &parts->diagonal));
    PetscCall(current_shadow(off_diagonal, op, columns, &parts->off_diagonal));
    PetscCall(MatGetLocalSize(off_diagonal, nullptr, &halo));
    PetscCall(MatMPIAIJGetSeqAIJ(a, nullptr, nullptr, &ghosts));
    PetscCall(exchange_of(a, off_diagonal, ghosts, halo, &parts->exchange));
    parts->halo = static_cast<std::size_t>(halo);
    PetscFunctionReturn(PETSC_SUCCESS);
}

void copy(const Block<const PetscScalar>& from, const Block<PetscScalar>& to) {
    for (std::size_t row = 0; row < from.rows; ++row) {
        for (int c = 0; c < from.cols; ++c) to.at(row, c) = from.at(row, c);
    }
}

PetscErrorCode multiply(Shadow& a, Op op, const Block<const PetscScalar>& x, PetscScalar beta,
                        const Block<PetscScalar>& y) {
    PetscFunctionBegin;
    Run run;
    run.op = op;
    PetscCall(call([&] { a.multiply(x, beta, y, run); }));
    PetscCall(PetscLogFlops(2.0 * static_cast<double>(a.nnz()) * x.cols));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = A B: the halo is on its way while the diagonal block is multiplied.
PetscErrorCode multiply_parts(const Parts& a, const Block<const PetscScalar>& b, const Block<PetscScalar>& c,
                              MPI_Datatype row_of_values) {
    PetscFunctionBegin;
    Rows sent(a.exchange == nullptr ? 0 : b.rows, b.cols);
    Rows halo(a.halo, b.cols);
    if (a.exchange != nullptr) {
        copy(b, sent.block());
        PetscCall(PetscSFBcastBegin(a.exchange, row_of_values, sent.values.data(), halo.values.data(), MPI_REPLACE));
    }
    PetscCall(multiply(*a.diagonal, Op::none, b, 0, c));
    if (a.exchange != nullptr) {
        PetscCall(PetscSFBcastEnd(a.exchange, row_of_values, sent.values.data(), halo.values.data(), MPI_REPLACE));
        PetscCall(multiply(*a.off_diagonal, Op::none, halo.block(), 1, c));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = A^T B: what belongs to others is on its way while the diagonal block is multiplied.
PetscErrorCode multiply_transposed_parts(const Parts& a, const Block<const PetscScalar>& b, const Block<PetscScalar>& c,
                                         MPI_Datatype row_of_values) {
    PetscFunctionBegin;
    Rows halo(a.halo, b.cols);
    Rows sums(a.exchange == nullptr ? 0 : c.rows, b.cols);
    if (a.exchange != nullptr) {
        PetscCall(multiply(*a.off_diagonal, Op::transpose, b, 0, halo.block()));
        PetscCall(PetscSFReduceBegin(a.exchange, row_of_values, halo.values.data(), sums.values.data(), MPIU_SUM));
    }
    PetscCall(multiply(*a.diagonal, Op::transpose, b, 0, c));
    if (a.exchange != nullptr) {
        PetscCall(PetscSFReduceEnd(a.exchange, row_of_values, halo.values.data(), sums.values.data(), MPIU_SUM));
        for (std::size_t row = 0; row < c.rows; ++row) {
            for (int k = 0; k < c.cols; ++k) c.at(row, k) += sums.block().at(row, k);
        }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// The part of a dense matrix that this process has.
template <class T>
PetscErrorCode block_of(Mat dense, T* values, Block<T>* block) {
    PetscFunctionBegin;
    PetscInt rows = 0, cols = 0, ld = 0;
    PetscCall(MatGetLocalSize(dense, &rows, nullptr));
    PetscCall(MatGetSize(dense, nullptr, &cols));
    PetscCall(MatDenseGetLDA(dense, &ld));
    *block = {values,
              static_cast<std::size_t>(rows),
              static_cast<int>(cols),
              static_cast<std::size_t>(ld),
              Layout::column_major,
              Memory::host};
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = op(A) B, where PETSc has set up C.
template <Op op>
PetscErrorCode multiply_dense(Mat a, Mat b, Mat c) {
    PetscFunctionBegin;
    PetscInt columns = 0;
    Parts parts;
    PetscCall(MatGetSize(b, nullptr, &columns));
    PetscCall(parts_of(a, op, static_cast<int>(columns), &parts));
    const PetscScalar* b_values = nullptr;
    PetscScalar* c_values = nullptr;
    Block<const PetscScalar> from;
    Block<PetscScalar> to;
    PetscCall(MatDenseGetArrayRead(b, &b_values));
    PetscCall(MatDenseGetArrayWrite(c, &c_values));
    PetscCall(block_of(b, b_values, &from));
    PetscCall(block_of(c, c_values, &to));
    MPI_Datatype row_of_values = MPIU_SCALAR;  // PetscSF adds up no other type of one value
    if (from.cols != 1) {
        PetscCallMPI(MPI_Type_contiguous(from.cols, MPIU_SCALAR, &row_of_values));
        PetscCallMPI(MPI_Type_commit(&row_of_values));
    }
    auto* const product = op == Op::none ? multiply_parts : multiply_transposed_parts;
    if (from.cols > 0) PetscCall(product(parts, from, to, row_of_values));
    if (from.cols != 1) PetscCallMPI(MPI_Type_free(&row_of_values));
    PetscCall(MatDenseRestoreArrayWrite(c, &c_values));
    PetscCall(MatDenseRestoreArrayRead(b, &b_values));
    PetscCall(MatAssemblyBegin(c, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(c, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode numeric(Mat c) {
    PetscFunctionBegin;
    Mat a = nullptr, b = nullptr;
    MatProductType type = MATPRODUCT_AB;
    PetscCall(MatProductGetMats(c, &a, &b, nullptr));
    PetscCall(MatProductGetType(c, &type));
    PetscCall(type == MATPRODUCT_AB ? multiply_dense<Op::none>(a, b, c) : multiply_dense<Op::transpose>(a, b, c));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode symbolic(Mat c) {
    PetscFunctionBegin;
    Mat a = nullptr, b = nullptr;
    MatProductType type = MATPRODUCT_AB;
    PetscCall(MatProductGetMats(c, &a, &b, nullptr));
    PetscCall(MatProductGetType(c, &type));
    PetscInt m = 0, n = 0, rows = 0, cols = 0, k = 0, columns = 0;
    PetscCall(MatGetLocalSize(a, &m, &n));
    PetscCall(MatGetSize(a, &rows, &cols));
    PetscCall(MatGetLocalSize(b, nullptr, &k));
    PetscCall(MatGetSize(b, nullptr, &columns));
    const bool is_plain = type == MATPRODUCT_AB;
    PetscCall(MatSetSizes(c, is_plain ? m : n, k, is_plain ? rows : cols, columns));
    PetscBool is_dense = PETSC_FALSE;
    PetscCall(PetscObjectBaseTypeCompareAny(reinterpret_cast<PetscObject>(c), &is_dense, MATSEQDENSE, MATMPIDENSE, ""));
    if (!is_dense) {
        MatType name = nullptr;
        PetscCall(MatGetType(b, &name));
        PetscCall(MatSetType(c, name));
    }
    PetscCall(MatSetOperation(c, MATOP_PRODUCTSYMBOLIC, untyped(symbolic)));
    PetscCall(MatSetOperation(c, MATOP_PRODUCTNUMERIC, untyped(numeric)));
    // by which PETSc makes products of three matrices of these
    PetscCall(MatSetOperation(c, MATOP_MAT_MULT_NUMERIC, untyped(multiply_dense<Op::none>)));
    PetscCall(MatSetOperation(c, MATOP_TRANSPOSE_MAT_MULT_NUMER, untyped(multiply_dense<Op::transpose>)));
    PetscCall(MatSetUp(c));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode type_of(Mat ours, const Type** type) {
    PetscFunctionBegin;
    PetscBool is_parallel = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ours), parallel_type().name, &is_parallel));
    *type = is_parallel ? &parallel_type() : &sequential_type();
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// By the function of PETSc for factors of these types, if one of them has it.
PetscErrorCode set_up_by_petsc(Mat c, const std::string& types) {
    PetscFunctionBegin;
    const std::string name = "MatProductSetFromOptions_" + types + "_C";
    Mat a = nullptr, b = nullptr;
    PetscErrorCode (*of_petsc)(Mat) = nullptr;
    PetscCall(MatProductGetMats(c, &a, &b, nullptr));
    PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(a), name.c_str(), &of_petsc));
    if (of_petsc == nullptr) {
        PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(b), name.c_str(), &of_petsc));
    }
    if (of_petsc != nullptr) PetscCall((*of_petsc)(c));
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode set_up_product_by_dense(Mat c) {
    PetscFunctionBegin;
    Mat a = nullptr;
    const Type* ours = nullptr;
    MatProductType type = MATPRODUCT_AB;
    PetscCall(MatProductGetMats(c, &a, nullptr, nullptr));
    PetscCall(type_of(a, &ours));
    PetscCall(MatProductGetType(c, &type));
    if (type == MATPRODUCT_AB || type == MATPRODUCT_AtB) {
        PetscCall(MatSetOperation(c, MATOP_PRODUCTSYMBOLIC, untyped(symbolic)));
    } else {
        PetscCall(set_up_by_petsc(c, std::string(ours->aij) + "_" + ours->dense));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_up_product_of_dense(Mat c) {
    PetscFunctionBegin;
    Mat b = nullptr;
    const Type* ours = nullptr;
    PetscCall(MatProductGetMats(c, nullptr, &b, nullptr));
    PetscCall(type_of(b, &ours));
    PetscCall(set_up_by_petsc(c, std::string(ours->dense) + "_" + ours->aij));
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace tilespmv::petsc
