#pragma once

#include <span>

#include <petscmat.h>

#include "tools/petsc/call.hpp"
#include "tools/petsc/shadow.hpp"

/// The matrix types. A matrix of ours is one of PETSc's AIJ with some operations replaced; what it has beside that is
/// composed with it, and so stays with its contents where PETSc moves these to another matrix.
namespace tilespmv::petsc {

/// An operation that is replaced.
struct Replaced {
    MatOperation operation;
    void (*ours)(void);
    void (*of_aij)(void) = nullptr;  ///< known once a matrix has been converted
};

using Convert = PetscErrorCode(Mat a, MatType type, MatReuse reuse, Mat* result);

/// A type of ours, and that of PETSc from which it derives.
struct Type {
    const char* name;
    const char* aij;
    const char* dense;  ///< several vectors for it
    std::span<Replaced> replaced;
    Convert* from_aij;
    Convert* to_aij;
};

Type& sequential_type();
Type& parallel_type();

/// Makes the AIJ matrix one of our type where it is; does nothing if it is one.
PetscErrorCode become_ours(Mat a, Type& type);
/// Makes it a plain AIJ matrix again.
PetscErrorCode become_aij(Mat a, Type& type);

/// Such a conversion: `become` is one of these.
template <Type& type(), PetscErrorCode become(Mat, Type&)>
PetscErrorCode convert(Mat a, MatType, MatReuse reuse, Mat* result) {
    PetscFunctionBegin;
    if (reuse == MAT_REUSE_MATRIX) {
        PetscCall(MatCopy(a, *result, SAME_NONZERO_PATTERN));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    Mat b = *result;
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &b));
    PetscCall(become(b, type()));
    *result = b;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// The operation of AIJ that ours stands for.
template <class F>
F* operation_of_aij(const Type& type, MatOperation operation) {
    for (const Replaced& one : type.replaced) {
        if (one.operation == operation) return reinterpret_cast<F*>(one.of_aij);
    }
    return nullptr;
}

inline Op op_of(MatOperation operation) {
    return operation == MATOP_MULT || operation == MATOP_MULT_ADD ? Op::none : Op::transpose;
}

/// A function as PETSc keeps operations.
template <class F>
auto untyped(F* f) {
    return reinterpret_cast<void (*)(void)>(f);
}

/// What is composed with a matrix of ours; of a parallel one it has the settings alone. They are read from the options
/// of the matrix when they are needed first, unless it is a block, which has those of its matrix.
PetscErrorCode shadow_of(Mat a, Type& type, Shadow** shadow);
PetscErrorCode give_settings(Mat block, const Settings& settings);
/// That of a sequential matrix, ready for products with so many columns, or with a vector unless these are AIJ's.
PetscErrorCode current_shadow(Mat a, Op op, int columns, Shadow** shadow);
/// The blocks of a parallel matrix, as sequential ones of our type: PETSc replaces the off-diagonal one at times.
PetscErrorCode blocks_of(Mat a, Mat* diagonal, Mat* off_diagonal);

#if PetscDefined(HAVE_CUDA)
/// Makes the blocks of a parallel matrix ours before PETSc makes the vector of the halo, which is then on the GPU.
PetscErrorCode keep_halo_on_device(Mat a);
#endif

/// What -log_view shows beside the products.
struct Events {
    PetscLogEvent conversion = 0;  ///< operators are made
    PetscLogEvent new_values = 0;  ///< they are given new values
};
Events& events();

/// Sets up C of A and B, where A is ours and B is dense, or where A is dense and B is ours, which PETSc multiplies.
PetscErrorCode set_up_product_by_dense(Mat c);
PetscErrorCode set_up_product_of_dense(Mat c);

/// Whether a viewer shows what is known of a matrix, of every process or of the first alone.
PetscErrorCode shows_info(PetscViewer viewer, PetscBool* of_first, PetscBool* of_all);

}  // namespace tilespmv::petsc
