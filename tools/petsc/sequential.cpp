#include <array>

#include <petsc/private/petscimpl.h>  // PetscObjectStateGet

#include "tools/petsc/matrix.hpp"
#include "tools/petsc/tilespmv_petsc.h"

#if PetscDefined(HAVE_CUDA)
#include <petscdevice_cuda.h>
#endif

namespace tilespmv::petsc {
namespace {

CUstream_st* stream_of_petsc() {
#if PetscDefined(HAVE_CUDA)
    return PetscDefaultCudaStream;
#else
    return nullptr;
#endif
}

PetscErrorCode multiply_arrays(Shadow& shadow, Block<const PetscScalar> x, PetscScalar beta, Block<PetscScalar> y,
                               const Run& run) {
    return call([&] { shadow.multiply(x, beta, y, run); });
}

/// If both vectors are in the memory of a GPU, multiplies them there.
PetscErrorCode multiply_on_device(Shadow& shadow, Vec x, PetscScalar beta, Vec y, Run run, bool* is_done) {
    PetscFunctionBegin;
    const PetscScalar* from = nullptr;
    PetscScalar* to = nullptr;
    PetscMemType from_memory = PETSC_MEMTYPE_HOST, to_memory = PETSC_MEMTYPE_HOST;
    PetscInt from_size = 0, to_size = 0;
    PetscCall(VecGetLocalSize(x, &from_size));
    PetscCall(VecGetLocalSize(y, &to_size));
    PetscCall(VecGetArrayReadAndMemType(x, &from, &from_memory));
    PetscCall(VecGetArrayAndMemType(y, &to, &to_memory));
    *is_done = PetscMemTypeDevice(from_memory) && PetscMemTypeDevice(to_memory);
    run.stream = stream_of_petsc();
    if (*is_done) {
        PetscCall(multiply_arrays(shadow, {from, static_cast<std::size_t>(from_size), Memory::device}, beta,
                                  {to, static_cast<std::size_t>(to_size), Memory::device}, run));
    }
    PetscCall(VecRestoreArrayAndMemType(y, &to));
    PetscCall(VecRestoreArrayReadAndMemType(x, &from));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode multiply_on_host(Shadow& shadow, Vec x, PetscScalar beta, Vec y, Run run) {
    PetscFunctionBegin;
    const PetscScalar* from = nullptr;
    PetscScalar* to = nullptr;
    PetscInt from_size = 0, to_size = 0;
    PetscCall(VecGetLocalSize(x, &from_size));
    PetscCall(VecGetLocalSize(y, &to_size));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(beta == PetscScalar{0} ? VecGetArrayWrite(y, &to) : VecGetArray(y, &to));
    PetscCall(multiply_arrays(shadow, {from, static_cast<std::size_t>(from_size)}, beta,
                              {to, static_cast<std::size_t>(to_size)}, run));
    PetscCall(beta == PetscScalar{0} ? VecRestoreArrayWrite(y, &to) : VecRestoreArray(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = op(A) x + added, where `added` may be y, or null.
PetscErrorCode multiply_by_ours(Shadow& shadow, Op op, Vec x, Vec added, Vec y) {
    PetscFunctionBegin;
    if (added != nullptr && added != y) PetscCall(VecCopy(added, y));
    const PetscScalar beta = added == nullptr ? 0 : 1;
    Run run;
    run.op = op;
    bool is_done = false;
    if (shadow.settings()->backend == Backend::cuda && shadow.nnz() > 0) {
        PetscCall(multiply_on_device(shadow, x, beta, y, run, &is_done));
    }
    if (!is_done) PetscCall(multiply_on_host(shadow, x, beta, y, run));
    PetscCall(PetscLogFlops(2.0 * static_cast<double>(shadow.nnz())));
    PetscFunctionReturn(PETSC_SUCCESS);
}

template <MatOperation operation, class... Vecs>
PetscErrorCode multiply(Mat a, Vecs... vecs) {
    PetscFunctionBegin;
    Shadow* shadow = nullptr;
    PetscCall(current_shadow(a, op_of(operation), Shadow::kVector, &shadow));
    if (shadow->leaves_vectors_to_aij()) {
        PetscCall((*operation_of_aij<PetscErrorCode(Mat, Vecs...)>(sequential_type(), operation))(a, vecs...));
    } else {
        const std::array all{vecs...};
        PetscCall(
            multiply_by_ours(*shadow, op_of(operation), all.front(), all.size() == 3 ? all[1] : nullptr, all.back()));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode choice_of(Shadow& shadow, std::string* line) {
    return call([&] { *line = shadow.choice(); });
}

PetscErrorCode view(Mat a, PetscViewer viewer) {
    PetscFunctionBegin;
    PetscCall((*operation_of_aij<PetscErrorCode(Mat, PetscViewer)>(sequential_type(), MATOP_VIEW))(a, viewer));
    PetscBool of_first = PETSC_FALSE, of_all = PETSC_FALSE;
    PetscCall(shows_info(viewer, &of_first, &of_all));
    if (!of_first && !of_all) PetscFunctionReturn(PETSC_SUCCESS);
    Shadow* shadow = nullptr;
    std::string line;
    PetscCall(current_shadow(a, Op::none, Shadow::kVector, &shadow));
    PetscCall(choice_of(*shadow, &line));
    PetscCall(PetscViewerASCIIPrintf(viewer, "tilespmv: %s\n", line.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode show_choice(Shadow& shadow) {
    PetscFunctionBegin;
    PetscMPIInt rank = 0;
    std::string line;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(choice_of(shadow, &line));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "tilespmv on rank %d: %s\n", rank, line.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

Type& sequential_type() {
    static std::array replaced{
        Replaced{MATOP_MULT, untyped(multiply<MATOP_MULT, Vec, Vec>)},
        Replaced{MATOP_MULT_ADD, untyped(multiply<MATOP_MULT_ADD, Vec, Vec, Vec>)},
        Replaced{MATOP_MULT_TRANSPOSE, untyped(multiply<MATOP_MULT_TRANSPOSE, Vec, Vec>)},
        Replaced{MATOP_MULT_TRANSPOSE_ADD, untyped(multiply<MATOP_MULT_TRANSPOSE_ADD, Vec, Vec, Vec>)},
        Replaced{MATOP_VIEW, untyped(view)},
    };
    static Type type{MATSEQAIJTILESPMV,
                     MATSEQAIJ,
                     MATSEQDENSE,
                     replaced,
                     convert<sequential_type, become_ours>,
                     convert<sequential_type, become_aij>};
    return type;
}

PetscErrorCode current_shadow(Mat a, Op op, int columns, Shadow** result) {
    PetscFunctionBegin;
    PetscCall(shadow_of(a, sequential_type(), result));
    Shadow& shadow = **result;
    PetscObjectState state = 0;
    PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(a), &state));
    if (shadow.is_of(a, state) && shadow.is_prepared(op, columns)) PetscFunctionReturn(PETSC_SUCCESS);
    AijArrays arrays;
    PetscScalar* values = nullptr;
    PetscCall(MatGetLocalSize(a, &arrays.rows, &arrays.cols));
    PetscCall(MatGetNonzeroState(a, &arrays.pattern));
    PetscCall(MatSeqAIJGetCSRAndMemType(a, &arrays.row_ptrs, &arrays.col_idxs, &values, nullptr));
    arrays.values = values;
    const bool has_pattern = shadow.has_pattern(a, arrays);
    const bool is_prepared = has_pattern && shadow.is_prepared(op, columns);
    const PetscLogEvent event = is_prepared ? events().new_values : events().conversion;
    PetscCall(PetscLogEventBegin(event, a, 0, 0, 0));
    PetscCall(call([&] {
        shadow.follow(a, state, arrays);
        shadow.prepare(op, columns);
    }));
    PetscCall(PetscLogEventEnd(event, a, 0, 0, 0));
    if (!has_pattern && shadow.settings()->is_shown) PetscCall(show_choice(shadow));
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace tilespmv::petsc
