#include <array>
#include <string>

#include "tools/petsc/matrix.hpp"
#include "tools/petsc/tilespmv_petsc.h"

namespace tilespmv::petsc {
namespace {

/// The operation of AIJ, once its blocks are ours and ready: after an error that the operation meets on its way PETSc
/// cannot destroy the matrix.
template <MatOperation operation, class... Vecs>
PetscErrorCode multiply(Mat a, Vecs... vecs) {
    PetscFunctionBegin;
    Mat diagonal = nullptr, off_diagonal = nullptr;
    PetscCall(blocks_of(a, &diagonal, &off_diagonal));
    for (Mat block : {diagonal, off_diagonal}) {
        Shadow* shadow = nullptr;
        PetscCall(current_shadow(block, op_of(operation), Shadow::kVector, &shadow));
    }
    PetscCall((*operation_of_aij<PetscErrorCode(Mat, Vecs...)>(parallel_type(), operation))(a, vecs...));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode lines_of(Mat a, std::string* lines) {
    PetscFunctionBegin;
    Mat diagonal = nullptr, off_diagonal = nullptr;
    PetscMPIInt rank = 0;
    PetscCall(blocks_of(a, &diagonal, &off_diagonal));
    PetscCallMPI(MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(a)), &rank));
    const auto line_of = [&](Mat block, const char* name) {
        Shadow* shadow = nullptr;
        PetscFunctionBegin;
        PetscCall(current_shadow(block, Op::none, Shadow::kVector, &shadow));
        PetscCall(call([&] {
            *lines += "tilespmv on rank " + std::to_string(rank) + ", " + name + ": " + shadow->choice() + "\n";
        }));
        PetscFunctionReturn(PETSC_SUCCESS);
    };
    PetscCall(line_of(diagonal, "diagonal block"));
    PetscCall(line_of(off_diagonal, "off-diagonal block"));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view(Mat a, PetscViewer viewer) {
    PetscFunctionBegin;
    PetscCall((*operation_of_aij<PetscErrorCode(Mat, PetscViewer)>(parallel_type(), MATOP_VIEW))(a, viewer));
    PetscBool of_first = PETSC_FALSE, of_all = PETSC_FALSE;
    PetscCall(shows_info(viewer, &of_first, &of_all));
    if (!of_first && !of_all) PetscFunctionReturn(PETSC_SUCCESS);
    std::string lines;
    PetscCall(lines_of(a, &lines));
    if (of_first) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "%s", lines.c_str()));
    } else {
        PetscCall(PetscViewerASCIIPushSynchronized(viewer));
        PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "%s", lines.c_str()));
        PetscCall(PetscViewerFlush(viewer));
        PetscCall(PetscViewerASCIIPopSynchronized(viewer));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
using Preallocate = PetscErrorCode(Mat, PetscInt, const PetscInt*, PetscInt, const PetscInt*);
Preallocate* preallocate_aij = nullptr;

PetscErrorCode preallocate(Mat a, PetscInt d, const PetscInt* d_rows, PetscInt o, const PetscInt* o_rows) {
    PetscFunctionBegin;
    Mat diagonal = nullptr, off_diagonal = nullptr;
    PetscCall((*preallocate_aij)(a, d, d_rows, o, o_rows));
    PetscCall(blocks_of(a, &diagonal, &off_diagonal));
    PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

}  // namespace

Type& parallel_type() {
    static std::array replaced{
        Replaced{MATOP_MULT, untyped(multiply<MATOP_MULT, Vec, Vec>)},
        Replaced{MATOP_MULT_ADD, untyped(multiply<MATOP_MULT_ADD, Vec, Vec, Vec>)},
        Replaced{MATOP_MULT_TRANSPOSE, untyped(multiply<MATOP_MULT_TRANSPOSE, Vec, Vec>)},
        Replaced{MATOP_MULT_TRANSPOSE_ADD, untyped(multiply<MATOP_MULT_TRANSPOSE_ADD, Vec, Vec, Vec>)},
        Replaced{MATOP_VIEW, untyped(view)},
    };
    static Type type{MATMPIAIJTILESPMV,
                     MATMPIAIJ,
                     MATMPIDENSE,
                     replaced,
                     convert<parallel_type, become_ours>,
                     convert<parallel_type, become_aij>};
    return type;
}

#if PetscDefined(HAVE_CUDA)
PetscErrorCode keep_halo_on_device(Mat a) {
    PetscFunctionBegin;
    constexpr const char* kName = "MatMPIAIJSetPreallocation_C";
    PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(a), kName, &preallocate_aij));
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(a), kName, preallocate));
    PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode blocks_of(Mat a, Mat* diagonal, Mat* off_diagonal) {
    PetscFunctionBegin;
    Shadow* ours = nullptr;
    PetscCall(shadow_of(a, parallel_type(), &ours));
    PetscCall(MatMPIAIJGetSeqAIJ(a, diagonal, off_diagonal, nullptr));
    for (Mat block : {*diagonal, *off_diagonal}) {
        PetscCall(become_ours(block, sequential_type()));
        PetscCall(give_settings(block, *ours->settings()));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace tilespmv::petsc
