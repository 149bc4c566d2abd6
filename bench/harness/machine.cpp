#include "bench/harness/machine.hpp"

#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/harness/revision.hpp"
#include "kernels/cpu/cache_size.hpp"
#include "kernels/cpu/vectors.hpp"
#include "kernels/cuda/device.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {
namespace {

struct CpuInfo {
    std::string model = "unknown";
    std::set<std::string> cores;  // socket and core
};

std::string value_of(std::string_view line) {
    const auto colon = line.find(": ");
    return colon == std::string_view::npos ? "" : std::string(line.substr(colon + 2));
}

CpuInfo read_cpu_info() {
    CpuInfo info;
    std::ifstream in("/proc/cpuinfo");
    std::string socket;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("model name")) info.model = value_of(line);
        if (line.starts_with("physical id")) socket = value_of(line);
        if (line.starts_with("core id")) info.cores.insert(socket + "/" + value_of(line));
    }
    return info;
}

std::string system_name() {
    utsname u{};
    return uname(&u) == 0 ? std::string(u.sysname) + " " + u.release + " " + u.machine : "unknown";
}

Gpu this_gpu() {
    try {
        const auto device = cuda::require_device();
        return {.name = device.name,
                .memory_bytes = device.memory_bytes,
                .l2_bytes = device.l2_bytes,
                .driver = device.driver_version,
                .runtime = device.runtime_version};
    } catch (const Error& error) {
        if (error.code() != ExitCode::unavailable) throw;
        return {};
    }
}

}  // namespace

Machine this_machine() {
    const CpuInfo info = read_cpu_info();
    const int threads = static_cast<int>(std::thread::hardware_concurrency());
    return {.cpu = info.model,
            .vectors = cpu::vectors_in_use(),
            .system = system_name(),
            .cores = info.cores.empty() ? threads : static_cast<int>(info.cores.size()),
            .hardware_threads = threads,
            .memory_bytes =
                static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
            .cache_bytes = cpu::last_level_cache_bytes(),
            .gpu = this_gpu()};
}

std::string cpu_of(const Machine& machine) {
    return machine.vectors.empty() ? machine.cpu : fmt::format("{} ({})", machine.cpu, machine.vectors);
}

std::string describe(const Machine& machine) {
    const std::string cpu = cpu_of(machine);
    if (machine.gpu.name.empty()) return fmt::format("{}, {}, no GPU", cpu, machine.system);
    return fmt::format("{}, {}, {}, CUDA driver {}, runtime {}", cpu, machine.system, machine.gpu.name,
                       machine.gpu.driver, machine.gpu.runtime);
}

Build this_build() {
    return {.version = TILESPMV_VERSION,
            .revision = TILESPMV_REVISION,
            .compiler = TILESPMV_COMPILER,
            .type = TILESPMV_BUILD_TYPE};
}

}  // namespace tilespmv::bench
