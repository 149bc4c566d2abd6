#include "kernels/cpu/processor.hpp"

#include <fstream>

#include <fmt/format.h>
#include <omp.h>

namespace tilespmv::cpu {

std::string processor_name() {
    std::ifstream in("/proc/cpuinfo");
    std::string name = "cpu";
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("model name") || line.find(": ") == std::string::npos) continue;
        name = line.substr(line.find(": ") + 2);
        break;
    }
    return fmt::format("{}, {} threads", name, omp_get_max_threads());
}

}  // namespace tilespmv::cpu
