// Every kernel over vectors of a solver against loops on the host.
#include <array>
#include <cmath>
#include <functional>

#include "kernels/cuda/stream.hpp"
#include "kernels/solver/recurrence.hpp"
#include "kernels/solver/vector_shapes.hpp"
#include "tests/kernels/solver/vector_system.hpp"

namespace tilespmv::testing {
namespace {

/// A kernel, what it does to vectors on the host, and its sums.
template <class T>
struct Case {
    const char* name;
    std::function<void(System<T>&)> launch;
    std::function<void(HostVectors<double>&)> update;
    std::vector<std::function<double(const HostVectors<double>&, std::size_t)>> sums;  ///< terms of each
};

using Host = HostVectors<double>;

template <class F>
auto at_each(F f) {
    return [f](Host& v) {
        for (std::size_t i = 0; i < v[X].size(); ++i) f(v, i);
    };
}

template <VectorName a, VectorName b>
double product(const Host& v, std::size_t i) {
    return v[a][i] * v[b][i];
}

void advance_host(Host& v, std::size_t i) {
    v[P][i] = v[W][i] + kBeta * v[P][i];
    v[Q][i] = v[S][i] + kBeta * v[Q][i];
    v[X][i] += kAlpha * v[P][i];
    v[R][i] -= kAlpha * v[Q][i];
}

void move_host(Host& v, std::size_t i) {
    v[X][i] += kAlpha * v[P][i];
    v[R][i] -= kAlpha * v[Q][i];
}

void times_diagonal_host(Host& v, std::size_t i) { v[W][i] = v[D][i] * v[R][i]; }

template <class T>
std::vector<Case<T>> cases() {
    const auto none = [](Host&) {};
    return {
        {"advance", [](auto& s) { s.kernels().advance(s.iterates(), s.device_scalars()); }, at_each(advance_host), {}},
        {"advance_diagonal",
         [](auto& s) { s.kernels().advance(s.iterates(), s.device_scalars(), s.diagonal()); },
         at_each([](Host& v, std::size_t i) {
             advance_host(v, i);
             times_diagonal_host(v, i);
         }),
         {}},
        {"advance_identity",
         [](auto& s) { s.kernels().advance(s.iterates(), s.device_scalars(), DiagonalView<T>{}); },
         at_each([](Host& v, std::size_t i) {
             advance_host(v, i);
             v[W][i] = v[R][i];
         }),
         {}},
        {"inner_products",
         [](auto& s) { s.kernels().inner_products(s.iterates(), s.finish(Recurrence::none)); },
         none,
         {product<R, W>, product<S, W>, product<R, R>}},
        {"direction",
         [](auto& s) { s.kernels().direction(s.iterates(), s.device_scalars()); },
         at_each([](Host& v, std::size_t i) { v[P][i] = v[W][i] + kBeta * v[P][i]; }),
         {}},
        {"step_length",
         [](auto& s) { s.kernels().step_length(s.iterates(), s.finish(Recurrence::none)); },
         none,
         {product<P, Q>}},
        {"move", [](auto& s) { s.kernels().move(s.iterates(), s.device_scalars()); }, at_each(move_host), {}},
        {"move_diagonal",
         [](auto& s) { s.kernels().move(s.iterates(), s.diagonal(), s.finish(Recurrence::none)); },
         at_each([](Host& v, std::size_t i) {
             move_host(v, i);
             times_diagonal_host(v, i);
         }),
         {product<R, W>, product<R, R>}},
        {"ratio",
         [](auto& s) { s.kernels().ratio(s.iterates(), s.finish(Recurrence::none)); },
         none,
         {product<R, W>, product<R, R>}},
        {"residual2",
         [](auto& s) { s.kernels().residual2(s.data(R), s.finish(Recurrence::none)); },
         none,
         {product<R, R>}},
        {"sum",
         [](auto& s) { s.kernels().sum(s.data(X), s.finish(Recurrence::none)); },
         none,
         {[](const Host& v, std::size_t i) { return v[X][i]; }}},
        {"subtract_mean",
         [](auto& s) { s.kernels().subtract_mean(s.data(X), s.device_sums(), 2); },
         at_each([](Host& v, std::size_t i) { v[X][i] += 3.5; }),
         {}},
        {"times_diagonal",
         [](auto& s) { s.kernels().times_diagonal(s.diagonal(), s.data(R), s.data(W)); },
         at_each(times_diagonal_host),
         {}},
    };
}

constexpr Scalars kScalars{.rho = 2, .mu = 3, .alpha = kAlpha, .beta = kBeta, .residual2 = 5};

template <class T>
Host widened_vectors(std::size_t n) {
    const auto& narrow = host_vectors<T>(n);
    Host wide;
    for (std::size_t k = 0; k < wide.size(); ++k) wide[k].assign(narrow[k].begin(), narrow[k].end());
    return wide;
}

/// Values are below 8 and come of at most six operations.
template <class T>
void expect_near(const HostVectors<T>& found, const Host& expected) {
    const double tolerance = 48 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        for (std::size_t i = 0; i < expected[k].size(); ++i) {
            const auto value = static_cast<double>(found[k][i]);
            if (std::abs(value - expected[k][i]) <= tolerance) continue;
            FAIL() << "vector " << k << " at " << i << ": " << value << ", expected " << expected[k][i];
        }
    }
}

template <class T>
void expect_sums(const Case<T>& c, const std::array<double, kMostSums>& found, const Host& after) {
    for (std::size_t k = 0; k < c.sums.size(); ++k) {
        double sum = 0;
        double size = 0;
        for (std::size_t i = 0; i < after[X].size(); ++i) {
            sum += c.sums[k](after, i);
            size += std::abs(c.sums[k](after, i));
        }
        // Vectors that this kernel wrote were rounded to T.
        const double rounding = static_cast<double>(std::numeric_limits<T>::epsilon()) * 16 + 1e-13 * 16;
        EXPECT_NEAR(found[k], sum, rounding * (size + 1)) << "sum " << k;
    }
}

class VectorKernelsOnDevice : public OnDevice {
protected:
    template <class T>
    static void expect_right(std::size_t n, const LaunchShape* shape) {
        for (const auto& c : cases<T>()) {
            SCOPED_TRACE(std::string(c.name) + " of " + std::to_string(n) +
                         (shape == nullptr
                              ? ""
                              : ", shape " + std::to_string(shape->threads) + " x " + std::to_string(shape->elements) +
                                    " in " + std::to_string(shape->max_blocks)));
            System<T> system(n, shapes_of(n, sizeof(T), shape), kScalars);
            c.launch(system);
            Host expected = widened_vectors<T>(n);
            c.update(expected);
            expect_near(system.vectors(), expected);
            expect_sums(c, system.sums(), expected);
        }
    }
};

constexpr std::size_t kSizes[]{0, 1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 1000, 4096, 4097};

TEST_F(VectorKernelsOnDevice, AnySizeInDouble) {
    for (const std::size_t n : kSizes) expect_right<double>(n, nullptr);
}
TEST_F(VectorKernelsOnDevice, AnySizeInFloat) {
    for (const std::size_t n : kSizes) expect_right<float>(n, nullptr);
}
TEST_F(VectorKernelsOnDevice, AMillionValues) {
    expect_right<double>(1'000'003, nullptr);
    expect_right<float>(1'000'003, nullptr);
}
TEST_F(VectorKernelsOnDevice, AnyShape) {
    constexpr LaunchShape kShapes[]{{32, 1, 0},  {32, 1, 3},  {64, 3, 2},  {128, 2, 1},  {128, 4, 7},
                                    {256, 4, 0}, {256, 8, 2}, {512, 5, 0}, {1024, 2, 1}, {1024, 16, 0}};
    for (const auto& shape : kShapes) {
        for (const std::size_t n : {1UL, 257UL, 1023UL, 5003UL}) {
            expect_right<double>(n, &shape);
            expect_right<float>(n, &shape);
        }
    }
}

TEST_F(VectorKernelsOnDevice, NothingChangesAfterTheEnd) {
    Scalars ended = kScalars;
    ended.end = End::converged;
    constexpr std::size_t kSize = 5087;
    const VectorShapes shapes = shapes_of(kSize, sizeof(double), nullptr);
    System<double> system(kSize, shapes, ended);
    const auto v = system.iterates();
    const auto& kernels = system.kernels();
    kernels.advance(v, system.device_scalars());
    kernels.advance(v, system.device_scalars(), system.diagonal());
    kernels.inner_products(v, system.finish(Recurrence::inner_products));
    kernels.direction(v, system.device_scalars());
    kernels.step_length(v, system.finish(Recurrence::step_length));
    kernels.move(v, system.device_scalars());
    kernels.move(v, system.diagonal(), system.finish(Recurrence::ratio));
    kernels.ratio(v, system.finish(Recurrence::ratio));
    EXPECT_EQ(system.vectors(), host_vectors<double>(kSize));
    const Scalars after = system.scalars();
    EXPECT_EQ(after.rho, ended.rho);
    EXPECT_EQ(after.alpha, ended.alpha);
    EXPECT_EQ(after.iterations, ended.iterations);
    EXPECT_EQ(after.end, End::converged);
}

void expect_same(const Scalars& found, const Scalars& expected) {
    EXPECT_DOUBLE_EQ(found.rho, expected.rho);
    EXPECT_DOUBLE_EQ(found.mu, expected.mu);
    EXPECT_DOUBLE_EQ(found.alpha, expected.alpha);
    EXPECT_DOUBLE_EQ(found.beta, expected.beta);
    EXPECT_DOUBLE_EQ(found.residual2, expected.residual2);
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_EQ(found.end, expected.end);
}

TEST_F(VectorKernelsOnDevice, TheRecurrenceTakesTheSums) {
    for (const std::size_t n : {100UL, 100'000UL}) {
        for (const auto which : {Recurrence::inner_products, Recurrence::step_length, Recurrence::ratio}) {
            System<double> system(n, shapes_of(n, sizeof(double), nullptr), kScalars);
            const auto launch = [&](Recurrence recurrence) {
                const auto finish = system.finish(recurrence);
                const auto v = system.iterates();
                if (which == Recurrence::inner_products) system.kernels().inner_products(v, finish);
                if (which == Recurrence::step_length) system.kernels().step_length(v, finish);
                if (which == Recurrence::ratio) system.kernels().ratio(v, finish);
            };
            launch(Recurrence::none);
            const auto sums = system.sums();
            launch(which);
            Scalars expected = kScalars;
            if (which == Recurrence::inner_products) take_inner_products(expected, sums[0], sums[1], sums[2]);
            if (which == Recurrence::step_length) take_step_length(expected, sums[0]);
            if (which == Recurrence::ratio) take_ratio(expected, sums[0], sums[1]);
            expect_same(system.scalars(), expected);
        }
    }
}

TEST_F(VectorKernelsOnDevice, SumsOfSeveralGpusAreAddedInTheirOrder) {
    System<double> system(10, shapes_of(10, sizeof(double), nullptr), kScalars);
    const std::vector<double> gathered{1, 2, 3, 10, 20, 30, 100, 200, 300};
    const cuda::DeviceBuffer<double> there(std::span<const double>(gathered), system.stream());
    launch_finish(there.data(), 3, system.finish(Recurrence::none), system.stream());
    EXPECT_EQ(system.sums(), (std::array<double, kMostSums>{111, 222, 333}));
    launch_finish(there.data(), 3, system.finish(Recurrence::inner_products), system.stream());
    Scalars expected = kScalars;
    take_inner_products(expected, 111, 222, 333);
    expect_same(system.scalars(), expected);
}

TEST_F(VectorKernelsOnDevice, TheSameBitsEveryTime) {
    constexpr std::size_t kSize = 1'000'003;
    System<float> system(kSize, shapes_of(kSize, sizeof(float), nullptr), kScalars);
    system.kernels().inner_products(system.iterates(), system.finish(Recurrence::none));
    const auto first = system.sums();
    for (int run = 0; run < 50; ++run) {
        system.kernels().inner_products(system.iterates(), system.finish(Recurrence::none));
        ASSERT_EQ(system.sums(), first);
    }
}

class SanitizerVectorKernels : public VectorKernelsOnDevice {};

TEST_F(SanitizerVectorKernels, Double) {
    constexpr LaunchShape kShape{64, 2, 3};
    expect_right<double>(1001, nullptr);
    expect_right<double>(1001, &kShape);
}
TEST_F(SanitizerVectorKernels, Float) {
    constexpr LaunchShape kShape{64, 3, 3};
    expect_right<float>(1001, nullptr);
    expect_right<float>(1001, &kShape);
}

}  // namespace
}  // namespace tilespmv::testing
