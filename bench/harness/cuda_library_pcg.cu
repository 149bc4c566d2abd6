#include "bench/harness/cuda_library_pcg.hpp"

#include <string>

#include <cublas_v2.h>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/stream.hpp"

namespace tilespmv::bench {
namespace {

constexpr int kThreads = 256;
constexpr std::size_t kWorkspaceBytes = std::size_t{4} << 20;

void check_cublas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) throw Error(std::string(call) + ": " + cublasGetStatusString(status));
}

#define TILESPMV_CUBLAS(call) check_cublas((call), #call)

/// In device memory.
struct PcgScalars {
    double rho = 0, next_rho = 0, curvature = 0, residual2 = 0;
    double alpha = 0, minus_alpha = 0, beta = 0, one = 1;
    double tolerance2 = 0;
    int iterations = 0;
    int converged_at = -1;
};

// A converged iteration goes on to the end of its block, where it must not divide by zero.
__global__ void make_alpha(PcgScalars* s) {
    s->alpha = s->curvature > 0 ? s->rho / s->curvature : 0;
    s->minus_alpha = -s->alpha;
}

__global__ void make_beta(PcgScalars* s) {
    s->beta = s->rho > 0 ? s->next_rho / s->rho : 0;
    s->rho = s->next_rho;
    ++s->iterations;
    if (s->converged_at < 0 && s->residual2 <= s->tolerance2) s->converged_at = s->iterations;
}

__global__ void jacobi(const double* d, const double* r, double* z, std::int64_t n) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < n) z[i] = d[i] * r[i];
}

class Cublas {
public:
    explicit Cublas(cudaStream_t stream) : workspace_(kWorkspaceBytes, stream) {
        TILESPMV_CUBLAS(cublasCreate(&handle_));
        TILESPMV_CUBLAS(cublasSetStream(handle_, stream));
        TILESPMV_CUBLAS(cublasSetWorkspace(handle_, workspace_.data(), workspace_.bytes()));
        TILESPMV_CUBLAS(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE));
    }
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;
    ~Cublas() { static_cast<void>(cublasDestroy(handle_)); }

    void dot(const cuda::DeviceBuffer<double>& a, const cuda::DeviceBuffer<double>& b, double* result) const {
        TILESPMV_CUBLAS(cublasDdot_64(handle_, size(a), a.data(), 1, b.data(), 1, result));
    }
    void axpy(const double* alpha, const cuda::DeviceBuffer<double>& x, cuda::DeviceBuffer<double>& y) const {
        TILESPMV_CUBLAS(cublasDaxpy_64(handle_, size(x), alpha, x.data(), 1, y.data(), 1));
    }
    void scale(const double* alpha, cuda::DeviceBuffer<double>& x) const {
        TILESPMV_CUBLAS(cublasDscal_64(handle_, size(x), alpha, x.data(), 1));
    }

private:
    static std::int64_t size(const cuda::DeviceBuffer<double>& v) { return static_cast<std::int64_t>(v.size()); }

    cuda::DeviceBuffer<std::byte> workspace_;
    cublasHandle_t handle_ = nullptr;
};

class CudaLibraryPcg final : public LibraryPcg {
public:
    CudaLibraryPcg(const CsrMatrix<double>& a, std::span<const double> inverse_diagonal, int algorithm)
        : n_(static_cast<std::size_t>(a.rows)),
          blas_(stream_.get()),
          a_(cuda::make_device_operator<double>("cusparse-csr:alg=" + std::to_string(algorithm), a,
                                                Accumulator::float64, stream_.get())),
          d_(inverse_diagonal, stream_.get()),
          scalars_(1, stream_.get()) {
        if (inverse_diagonal.size() != n_) throw Error("the diagonal has another size than the matrix");
        for (auto* v : {&x_, &r_, &z_, &p_, &q_}) *v = cuda::DeviceBuffer<double>(n_, stream_.get());
        stream_.synchronize();
    }

    LibraryPcgReport solve(std::span<const double> b, std::span<double> x, double rtol, int check_every,
                           int max_iterations) override {
        start(b, rtol);
        PcgScalars s = look();
        while (s.converged_at < 0 && s.iterations < max_iterations) {
            run_block(check_every);
            s = look();
        }
        x_.download(x, stream_.get());
        stream_.synchronize();
        return {s.converged_at >= 0 ? s.converged_at : s.iterations, s.converged_at >= 0};
    }

private:
    PcgScalars* at() const { return scalars_.data(); }

    void start(std::span<const double> b, double rtol) {
        TILESPMV_CUDA(cudaMemsetAsync(x_.data(), 0, x_.bytes(), stream_.get()));
        r_.upload(b, stream_.get());
        precondition();
        TILESPMV_CUDA(cudaMemcpyAsync(p_.data(), z_.data(), p_.bytes(), cudaMemcpyDeviceToDevice, stream_.get()));
        put({});
        blas_.dot(r_, z_, &at()->rho);
        blas_.dot(r_, r_, &at()->residual2);
        PcgScalars s = look();
        s.tolerance2 = rtol * rtol * s.residual2;
        if (s.residual2 == 0) s.converged_at = 0;
        put(s);
    }

    void put(const PcgScalars& s) {
        scalars_.upload({&s, 1}, stream_.get());
        stream_.synchronize();
    }
    PcgScalars look() {
        PcgScalars s;
        scalars_.download({&s, 1}, stream_.get());
        stream_.synchronize();
        return s;
    }

    /// The first block is launched call by call, so that the libraries load what they need; then it is a graph.
    void run_block(int count) {
        const auto all = [&] {
            for (int i = 0; i < count; ++i) iterate();
        };
        if (count != count_) {
            graph_.reset();
            count_ = count;
            return all();
        }
        if (!graph_) graph_ = std::make_unique<cuda::Graph>(stream_.get(), all);
        graph_->launch();
    }

    void precondition() {
        const auto blocks = static_cast<unsigned>(div_up(static_cast<std::int64_t>(n_), kThreads));
        jacobi<<<blocks, kThreads, 0, stream_.get()>>>(d_.data(), r_.data(), z_.data(), static_cast<std::int64_t>(n_));
        TILESPMV_CUDA(cudaGetLastError());
    }

    void iterate() {
        a_->apply(1, p_.span(), 0, q_.span(), stream_.get());
        blas_.dot(p_, q_, &at()->curvature);
        make_alpha<<<1, 1, 0, stream_.get()>>>(at());
        blas_.axpy(&at()->alpha, p_, x_);
        blas_.axpy(&at()->minus_alpha, q_, r_);
        precondition();
        blas_.dot(r_, z_, &at()->next_rho);
        blas_.dot(r_, r_, &at()->residual2);
        make_beta<<<1, 1, 0, stream_.get()>>>(at());
        blas_.scale(&at()->beta, p_);
        blas_.axpy(&at()->one, z_, p_);
        TILESPMV_CUDA(cudaGetLastError());
    }

    cuda::Stream stream_;
    std::size_t n_;
    Cublas blas_;
    std::unique_ptr<cuda::DeviceOperator<double>> a_;
    cuda::DeviceBuffer<double> d_;
    cuda::DeviceBuffer<PcgScalars> scalars_;
    cuda::DeviceBuffer<double> x_, r_, z_, p_, q_;
    int count_ = 0;
    std::unique_ptr<cuda::Graph> graph_;
};

}  // namespace

std::unique_ptr<LibraryPcg> make_library_pcg(const CsrMatrix<double>& a, std::span<const double> inverse_diagonal,
                                             int algorithm) {
    static_cast<void>(cuda::require_device());
    return std::make_unique<CudaLibraryPcg>(a, inverse_diagonal, algorithm);
}

}  // namespace tilespmv::bench
