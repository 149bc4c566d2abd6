#include "tools/text/gpu_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilespmv::tools {
namespace {

// Versions of CUDA: 13000 is 13.0.
std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

std::string info_line(std::string_view what, std::string_view text) { return fmt::format("{:<10} {}\n", what, text); }

std::string gpu_text(const nlohmann::ordered_json& gpu) {
    if (gpu.contains("error")) return info_line("GPU", gpu["error"].get<std::string>());
    const auto number = [&](const char* what) { return gpu[what].get<double>(); };
    constexpr double kib = 1024, mib = kib * kib;
    std::string text = info_line("GPU", fmt::format("{}, compute capability {:.1f}, {} multiprocessors, {:.0f} MiB",
                                                    gpu["name"].get<std::string>(), number("compute_capability") / 10,
                                                    number("multiprocessors"), number("memory_bytes") / mib));
    text +=
        info_line("", fmt::format("L2 {:.1f} MiB; per multiprocessor {:.0f} KiB shared memory, {} registers, {} warps",
                                  number("l2_bytes") / mib, number("shared_bytes_per_multiprocessor") / kib,
                                  number("registers_per_multiprocessor"), number("warps_per_multiprocessor")));
    text += info_line("", fmt::format("memory bandwidth, measured: read {:.0f}, copy {:.0f} GB/s",
                                      number("read_bytes_per_s") * 1e-9, number("copy_bytes_per_s") * 1e-9));
    return text +
           info_line(
               "", fmt::format("CUDA driver {}, runtime {}; kernels compiled for compute capability {:.1f}",
                               cuda_version(gpu["driver"]), cuda_version(gpu["runtime"]), number("compiled_for") / 10));
}

}  // namespace tilespmv::tools
