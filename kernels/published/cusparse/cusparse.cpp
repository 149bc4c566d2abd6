#include "kernels/published/cusparse/cusparse.hpp"

#include <fmt/format.h>

#include "kernels/refusal.hpp"

namespace tilespmv::cuda {

void check(cusparseStatus_t status, const char* expression, const char* file, int line) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    const auto text = fmt::format("{}:{}: {}: {}", file, line, expression, cusparseGetErrorString(status));
    if (status != CUSPARSE_STATUS_ARCH_MISMATCH) throw Error(text);
    throw Refusal(text + " (cuSPARSE has no bfloat16 before compute capability 8.0); take another operator");
}

CusparseHandle make_cusparse_handle() {
    cusparseHandle_t handle = nullptr;
    TILESPMV_CUSPARSE(cusparseCreate(&handle));
    return CusparseHandle(handle);
}

}  // namespace tilespmv::cuda
