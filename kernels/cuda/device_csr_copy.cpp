#include "kernels/cuda/device_csr_copy.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_csr.hpp"

namespace tilespmv::cuda {

template <class V>
DeviceCsrCopy<V>::DeviceCsrCopy(const CsrMatrix<V>& a) : view_{a.rows, a.cols, a.nnz(), {}} {
    static_cast<void>(require_device());
    auto copy = std::make_shared<DeviceCsr<V>>(a, DeviceContext());
    copy->visit([&]<class P>(const CsrView<V, P>& there) {
        using Given = std::conditional_t<sizeof(P) == 4, std::int32_t, std::int64_t>;  // none has the highest bit
        view_.row_ptrs = reinterpret_cast<const Given*>(there.row_ptrs);
        view_.col_idxs = there.col_idxs;
        view_.values = there.values;
    });
    arrays_ = std::move(copy);
}

#define TILESPMV_INSTANTIATE(V) template class DeviceCsrCopy<V>;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
