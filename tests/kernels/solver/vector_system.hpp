#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/cuda/stream.hpp"
#include "kernels/solver/cuda/vector_launcher.hpp"
#include "kernels/solver/vector_shapes.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"

/// Vectors and scalars of a solver in device memory, for tests of its kernels.
namespace tilespmv::testing {

using namespace solver;

enum VectorName { X, R, W, S, P, Q, D, kNames };

template <class T>
using HostVectors = std::array<std::vector<T>, kNames>;

inline constexpr double kAlpha = 0.375;
inline constexpr double kBeta = -1.25;

/// Kept from call to call: a million sines take longer than what is done with them.
template <class T>
const HostVectors<T>& host_vectors(std::size_t n) {
    static HostVectors<T> all;
    if (all.front().size() == n) return all;
    for (int k = 0; k < kNames; ++k) all[static_cast<std::size_t>(k)] = numbers<T>(static_cast<index_t>(n), k);
    return all;
}

inline VectorShapes shapes_of(std::size_t n, std::size_t value_bytes, const LaunchShape* shape) {
    return shape == nullptr ? vector_shapes(n, value_bytes, 132) : VectorShapes{*shape, *shape};
}

/// The vectors in device memory; one value longer each, which no kernel may change.
template <class T>
class System {
public:
    static constexpr T kGuard = 12345;

    System(std::size_t n, const VectorShapes& shapes, const Scalars& scalars)
        : n_(n), kernels_(n, shapes, stream_.get()), scalars_(1, stream_.get()), sums_(kMostSums, stream_.get()) {
        HostVectors<T> host = host_vectors<T>(n);
        for (std::size_t k = 0; k < host.size(); ++k) {
            host[k].push_back(kGuard);
            vectors_[k] = cuda::DeviceBuffer<T>(std::span<const T>(host[k]), stream_.get());
            stream_.synchronize();
        }
        const std::vector<double> none(kMostSums, -7);
        sums_.upload(none, stream_.get());
        scalars_.upload({&scalars, 1}, stream_.get());
        stream_.synchronize();
    }

    const VectorLauncher<T>& kernels() { return kernels_; }
    Iterates<T> iterates() { return {at(X), at(R), at(W), at(S), at(P), at(Q)}; }
    T* data(VectorName name) { return vectors_[name].data(); }
    DiagonalView<T> diagonal() { return {data(D)}; }
    Scalars* device_scalars() { return scalars_.data(); }
    double* device_sums() { return sums_.data(); }
    cudaStream_t stream() { return stream_.get(); }
    Finish finish(Recurrence recurrence) { return {scalars_.data(), sums_.data(), recurrence}; }

    Scalars scalars() {
        Scalars found;
        scalars_.download({&found, 1}, stream_.get());
        stream_.synchronize();
        return found;
    }
    std::array<double, kMostSums> sums() {
        std::array<double, kMostSums> found{};
        sums_.download(found, stream_.get());
        stream_.synchronize();
        return found;
    }
    /// Without the guard, which is checked.
    HostVectors<T> vectors() {
        HostVectors<T> all;
        for (std::size_t k = 0; k < all.size(); ++k) {
            all[k].resize(n_ + 1);
            vectors_[k].download(all[k], stream_.get());
            stream_.synchronize();
            EXPECT_EQ(all[k].back(), kGuard) << "vector " << k;
            all[k].pop_back();
        }
        return all;
    }

private:
    Vector<T> at(VectorName name) { return {data(name), n_}; }

    cuda::Stream stream_;
    std::size_t n_;
    VectorLauncher<T> kernels_;
    cuda::DeviceBuffer<Scalars> scalars_;
    cuda::DeviceBuffer<double> sums_;
    std::array<cuda::DeviceBuffer<T>, kNames> vectors_;
};

}  // namespace tilespmv::testing
