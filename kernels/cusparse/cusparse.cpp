#include "kernels/cusparse/cusparse.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::cuda {

void check(cusparseStatus_t status, const char* expression, const char* file, int line) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    throw Error(fmt::format("{}:{}: {}: {}", file, line, expression, cusparseGetErrorString(status)));
}

CusparseHandle make_cusparse_handle() {
    cusparseHandle_t handle = nullptr;
    TILESPMV_CUSPARSE(cusparseCreate(&handle));
    return CusparseHandle(handle);
}

}  // namespace tilespmv::cuda
