#include "kernels/solver/vector_shapes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "selector/models/profile.hpp"
#include "selector/models/profile_file.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

// In the order of VectorKernelId.
constexpr std::array<VectorKernel, kVectorKernels> kKernels{{
    {"advance", false, 6, 4},
    {"advance_diagonal", false, 7, 5},
    {"inner_products", true, 3, 0},
    {"direction", false, 2, 1},
    {"step_length", true, 2, 0},
    {"move", false, 4, 2},
    {"move_diagonal", true, 5, 3},
    {"ratio", true, 2, 0},
    {"residual2", true, 1, 0},
    {"sum", true, 1, 0},
    {"subtract_mean", false, 1, 1},
    {"times_diagonal", false, 2, 1},
    {"axpy", false, 2, 1},
    {"copy", false, 1, 1},
}};

}  // namespace

std::span<const VectorKernel> vector_kernels() { return kKernels; }

VectorKernelId vector_kernel_id(std::string_view name) {
    for (std::size_t i = 0; i < kKernels.size(); ++i) {
        if (kKernels[i].name == name) return static_cast<VectorKernelId>(i);
    }
    throw Error(fmt::format("there is no kernel over vectors called '{}'", name), ExitCode::usage);
}

VectorShapes::VectorShapes(std::size_t n, std::size_t value_bytes, int multiprocessors) {
    for (std::size_t i = 0; i < kVectorKernels; ++i) {
        shapes_[i] = default_vector_shape(kKernels[i].reduces, n, value_bytes, multiprocessors);
    }
}

void VectorShapes::set(std::string_view kernel, const LaunchShape& shape) {
    const bool is_whole = shape.threads > 0 && shape.threads <= 1024 && shape.threads % 32 == 0;
    if (!is_whole || shape.elements < 1 || shape.max_blocks < 0) {
        throw Error(
            fmt::format("{} cannot be launched with {} threads of {} elements in at most {} blocks; threads are "
                        "a multiple of 32 up to 1024, elements at least 1",
                        kernel, shape.threads, shape.elements, shape.max_blocks),
            ExitCode::usage);
    }
    shapes_[static_cast<std::size_t>(vector_kernel_id(kernel))] = shape;
}

std::vector<KernelShape> VectorShapes::list() const {
    std::vector<KernelShape> all;
    for (std::size_t i = 0; i < kVectorKernels; ++i) all.push_back({std::string(kKernels[i].name), shapes_[i]});
    return all;
}

int VectorShapes::most_reducing_blocks(std::size_t n) const {
    int blocks = 1;
    for (std::size_t i = 0; i < kVectorKernels; ++i) {
        if (kKernels[i].reduces) blocks = std::max(blocks, blocks_for(shapes_[i], n));
    }
    return blocks;
}

VectorShapes shapes_on(std::string_view gpu, std::size_t n, std::size_t value_bytes, int multiprocessors) {
    VectorShapes shapes(n, value_bytes, multiprocessors);
    ChosenShapes chosen;
    visit_profiles({}, gpu, [&](const FoundProfile& found) {
        choose_vector_shapes(*found.profile, n, value_bytes, chosen);
        return std::ranges::all_of(vector_kernels(), [&](const VectorKernel& kernel) {
            const auto known = chosen.find(kernel.name);
            return known != chosen.end() && known->second.distance == 0;
        });
    });
    for (const auto& [kernel, one] : chosen) {
        const bool is_known = std::ranges::count(vector_kernels(), kernel, &VectorKernel::name) > 0;
        if (is_known) shapes.set(kernel, one.shape);
    }
    return shapes;
}

}  // namespace tilespmv::solver
