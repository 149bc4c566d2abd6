#include "tools/petsc/matrix.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "tile/error.hpp"

namespace tilespmv::petsc {
namespace {

constexpr const char* kComposed = "tilespmv";

// Functions that PETSc looks for by the names of types, and that serve matrices of ours as they do those of AIJ: the
// first %s stands for the name of the type, and so does a second one.
constexpr std::array kSharedFunctions{
    "MatProductSetFromOptions_%s_%s_C",
    "MatProductSetFromOptions_transpose_%s_%s_C",
    "MatProductSetFromOptions_is_%s_C",
    "MatConvert_%s_is_C",
    "MatConvert_%s_hypre_C",
    "MatConvert_%s_elemental_C",
    "MatConvert_%s_scalapack_C",
};

std::string named_after(const char* pattern, const char* type) {
    std::array<char, 256> name{};
    std::snprintf(name.data(), name.size(), pattern, type, type);
    return name.data();
}

PetscErrorCode destroy_shadow(void* shadow) {
    delete static_cast<Shadow*>(shadow);
    return PETSC_SUCCESS;
}

using Function = void (*)(void);

/// The functions that PETSc is to find at a matrix of ours, by their names; null where AIJ has none.
PetscErrorCode functions_of(Mat a, const Type& type, std::vector<std::pair<std::string, Function>>* functions) {
    PetscFunctionBegin;
    const std::string name = type.name, aij = type.aij;
    *functions = {
        {"MatConvert_" + name + "_" + aij + "_C", untyped(type.to_aij)},
        {"MatConvert_" + aij + "_" + name + "_C", untyped(type.from_aij)},
        {"MatProductSetFromOptions_" + name + "_" + type.dense + "_C", untyped(set_up_product_by_dense)},
        {"MatProductSetFromOptions_" + std::string(type.dense) + "_" + name + "_C", untyped(set_up_product_of_dense)}};
    for (const char* const pattern : kSharedFunctions) {
        Function shared = nullptr;
        PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(a), named_after(pattern, type.aij).c_str(),
                                           &shared));
        functions->emplace_back(named_after(pattern, type.name), shared);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// Composes with the matrix what belongs to our types, in place of what there is.
PetscErrorCode compose(Mat a, const Type& type) {
    PetscFunctionBegin;
    auto* const object = reinterpret_cast<PetscObject>(a);
    PetscContainer container = nullptr;
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, new Shadow));
    PetscCall(PetscContainerSetUserDestroy(container, destroy_shadow));
    PetscCall(PetscObjectCompose(object, kComposed, reinterpret_cast<PetscObject>(container)));
    PetscCall(PetscContainerDestroy(&container));
    std::vector<std::pair<std::string, Function>> functions;
    PetscCall(functions_of(a, type, &functions));
    for (const auto& [name, function] : functions) {
        PetscCall(PetscObjectComposeFunction(object, name.c_str(), function));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode take_composed_away(Mat a, const Type& type) {
    PetscFunctionBegin;
    auto* const object = reinterpret_cast<PetscObject>(a);
    PetscCall(PetscObjectCompose(object, kComposed, nullptr));
    std::vector<std::pair<std::string, Function>> functions;
    PetscCall(functions_of(a, type, &functions));
    for (const auto& [name, function] : functions) {
        PetscCall(PetscObjectComposeFunction(object, name.c_str(), nullptr));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode composed_shadow(Mat a, Type& type, Shadow** shadow) {
    PetscFunctionBegin;
    auto* const object = reinterpret_cast<PetscObject>(a);
    PetscObject composed = nullptr;
    PetscCall(PetscObjectQuery(object, kComposed, &composed));
    if (composed == nullptr) {  // PETSc gave the matrix the contents of one that is not ours
        PetscCall(compose(a, type));
        PetscCall(PetscObjectQuery(object, kComposed, &composed));
    }
    void* pointer = nullptr;
    PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(composed), &pointer));
    *shadow = static_cast<Shadow*>(pointer);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// A GPU where PETSc keeps vectors on one and the library has one that serves.
Backend default_backend() {
    if (!PetscDefined(HAVE_CUDA)) return Backend::cpu;
    try {
        cuda::require_device();
        return Backend::cuda;
    } catch (const Error&) {
        return Backend::cpu;
    }
}

PetscErrorCode read_options(Mat a, Settings* settings) {
    PetscFunctionBegin;
    std::array<char, 256> name{"auto"};
    PetscBool is_shown = PETSC_FALSE;
    PetscInt device = default_backend() == Backend::cuda ? 1 : 0;
    const char* prefix = nullptr;
    const char* const devices[] = {"cpu", "cuda"};
    PetscCall(PetscObjectGetOptionsPrefix(reinterpret_cast<PetscObject>(a), &prefix));
    PetscOptionsBegin(PetscObjectComm(reinterpret_cast<PetscObject>(a)), prefix, "Products by tilespmv", "Mat");
    PetscCall(PetscOptionsString("-mat_tilespmv_operator", "Operator that multiplies", "MatRegisterTilespmv",
                                 name.data(), name.data(), name.size(), nullptr));
    PetscCall(PetscOptionsEList("-mat_tilespmv_device", "Where it multiplies", "MatRegisterTilespmv", devices, 2,
                                devices[device], &device, nullptr));
    PetscCall(PetscOptionsBool("-mat_tilespmv_view", "Print which operator is taken and why", "MatRegisterTilespmv",
                               is_shown, &is_shown, nullptr));
    PetscOptionsEnd();
    settings->operator_name = name.data();
    settings->backend = device == 1 ? Backend::cuda : Backend::cpu;
    settings->is_shown = is_shown == PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode become_ours(Mat a, Type& type) {
    PetscFunctionBegin;
    auto* const object = reinterpret_cast<PetscObject>(a);
    PetscBool is_ours = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(object, type.name, &is_ours));
    if (is_ours) PetscFunctionReturn(PETSC_SUCCESS);
    PetscBool is_aij = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(object, type.aij, &is_aij));
    if (!is_aij) PetscCall(MatConvert(a, type.aij, MAT_INPLACE_MATRIX, &a));
    for (Replaced& one : type.replaced) {
        void (*before)(void) = nullptr;
        PetscCall(MatGetOperation(a, one.operation, &before));
        if (before != one.ours) one.of_aij = before;
        PetscCall(MatSetOperation(a, one.operation, one.ours));
    }
    PetscCall(compose(a, type));
    PetscCall(PetscObjectChangeTypeName(object, type.name));
#if PetscDefined(HAVE_CUDA)
    Shadow* shadow = nullptr;
    PetscCall(shadow_of(a, type, &shadow));
    if (shadow->settings()->backend == Backend::cuda) {
        PetscCall(MatSetVecType(a, VECCUDA));
        if (&type == &parallel_type()) PetscCall(keep_halo_on_device(a));
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode become_aij(Mat a, Type& type) {
    PetscFunctionBegin;
    PetscBool is_ours = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(a), type.name, &is_ours));
    if (!is_ours) PetscFunctionReturn(PETSC_SUCCESS);
    for (const Replaced& one : type.replaced) PetscCall(MatSetOperation(a, one.operation, one.of_aij));
    PetscCall(take_composed_away(a, type));
    PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(a), type.aij));
    if (&type == &parallel_type()) {
        Mat diagonal = nullptr, off_diagonal = nullptr;
        PetscCall(MatMPIAIJGetSeqAIJ(a, &diagonal, &off_diagonal, nullptr));
        if (diagonal != nullptr) PetscCall(become_aij(diagonal, sequential_type()));
        if (off_diagonal != nullptr) PetscCall(become_aij(off_diagonal, sequential_type()));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode shadow_of(Mat a, Type& type, Shadow** shadow) {
    PetscFunctionBegin;
    PetscCall(composed_shadow(a, type, shadow));
    if (!(*shadow)->settings()) {
        Settings settings;
        PetscCall(read_options(a, &settings));
        (*shadow)->set(settings);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode give_settings(Mat block, const Settings& settings) {
    PetscFunctionBegin;
    Shadow* shadow = nullptr;
    PetscCall(composed_shadow(block, sequential_type(), &shadow));
    shadow->set(settings);
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode shows_info(PetscViewer viewer, PetscBool* of_first, PetscBool* of_all) {
    PetscFunctionBegin;
    PetscBool is_text = PETSC_FALSE;
    PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_text));
    PetscCall(PetscViewerGetFormat(viewer, &format));
    *of_first = is_text && format == PETSC_VIEWER_ASCII_INFO ? PETSC_TRUE : PETSC_FALSE;
    *of_all = is_text && format == PETSC_VIEWER_ASCII_INFO_DETAIL ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace tilespmv::petsc
