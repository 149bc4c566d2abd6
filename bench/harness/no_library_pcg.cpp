// In a build without CUDA, cuSPARSE or cuBLAS.
#include "bench/harness/cuda_library_pcg.hpp"
#include "kernels/cuda/device.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {

std::unique_ptr<LibraryPcg> make_library_pcg(const CsrMatrix<double>&, std::span<const double>, int) {
    static_cast<void>(cuda::require_device());
    throw Error("this build found no cuBLAS or no cuSPARSE to compare with; install them and configure again",
                ExitCode::unavailable);
}

}  // namespace tilespmv::bench
