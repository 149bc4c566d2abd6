#pragma once

#include <memory>
#include <type_traits>

#include <cusparse.h>

#include "tile/types.hpp"

/// What the operators on cuSPARSE share: errors, owners of its objects, its names for types.
namespace tilespmv::cuda {

/// Throws `Error` with the expression, file, line and cuSPARSE's text unless `status` is success; `Refusal` where this
/// GPU is too old for the type of values.
void check(cusparseStatus_t status, const char* expression, const char* file, int line);

template <auto kDestroy>
struct Destroy {
    template <class T>
    void operator()(T* object) const noexcept {
        static_cast<void>(kDestroy(object));  // nothing to be done about an error here
    }
};

using CusparseHandle = std::unique_ptr<cusparseContext, Destroy<cusparseDestroy>>;
using SparseMatrix = std::unique_ptr<cusparseSpMatDescr, Destroy<cusparseDestroySpMat>>;
using DenseVector = std::unique_ptr<cusparseDnVecDescr, Destroy<cusparseDestroyDnVec>>;
using DenseMatrix = std::unique_ptr<cusparseDnMatDescr, Destroy<cusparseDestroyDnMat>>;
using MatrixProperties = std::unique_ptr<cusparseMatDescr, Destroy<cusparseDestroyMatDescr>>;

/// Throws `Error` if cuSPARSE cannot be set up on the current GPU.
CusparseHandle make_cusparse_handle();

/// The type in which cuSPARSE computes with values of V.
template <class V>
using CusparseSum = std::conditional_t<std::is_same_v<V, double>, double, float>;

template <class V>
constexpr cudaDataType cuda_type() {
    if constexpr (std::is_same_v<V, Half>) return CUDA_R_16F;
    if constexpr (std::is_same_v<V, Bfloat16>) return CUDA_R_16BF;
    if constexpr (std::is_same_v<V, float>) return CUDA_R_32F;
    if constexpr (std::is_same_v<V, double>) return CUDA_R_64F;
    // Another type is an error of the compiler: nothing is returned.
}

template <class I>
constexpr cusparseIndexType_t index_type() {
    return sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

}  // namespace tilespmv::cuda

#define TILESPMV_CUSPARSE(expression) ::tilespmv::cuda::check((expression), #expression, __FILE__, __LINE__)
