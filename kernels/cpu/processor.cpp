#include "kernels/cpu/processor.hpp"

#include <fstream>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/cpu/vectors.hpp"

namespace tilespmv::cpu {

std::string processor_name() {
    std::ifstream in("/proc/cpuinfo");
    std::string name = "cpu";
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("model name") || line.find(": ") == std::string::npos) continue;
        name = line.substr(line.find(": ") + 2);
        break;
    }
    const std::string vectors = vectors_in_use();
    const bool is_held = vectors != vector_sets().front();
    return fmt::format("{}, {} threads{}", name, omp_get_max_threads(), is_held ? ", " + vectors : "");
}

}  // namespace tilespmv::cpu
