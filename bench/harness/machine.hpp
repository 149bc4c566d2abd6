#pragma once

#include <cstdint>
#include <string>

namespace tilespmv::bench {

/// The current GPU of a machine and what it is driven by.
struct Gpu {
    std::string name;  ///< empty without an available GPU; then the rest is zero
    std::uint64_t memory_bytes = 0;
    std::uint64_t l2_bytes = 0;
    int driver = 0;  ///< the version of CUDA that the driver serves, 13000 for 13.0
    int runtime = 0;

    friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// The machine that results were measured on.
struct Machine {
    std::string cpu;      ///< model name
    std::string vectors;  ///< the instruction set that products on it use
    std::string system;   ///< operating system and its version
    int cores = 0;
    int hardware_threads = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t cache_bytes = 0;  ///< last level
    Gpu gpu;

    friend bool operator==(const Machine&, const Machine&) = default;
};

/// The program that results were measured with.
struct Build {
    std::string version;
    std::string revision;  ///< of git, with "-dirty" after local changes; "unknown" outside a repository
    std::string compiler;
    std::string type;  ///< Release, Debug, ...

    friend bool operator==(const Build&, const Build&) = default;
};

Machine this_machine();
/// Its processor and the vectors that were used of it: "NAME (avx2)".
std::string cpu_of(const Machine& machine);
/// What tells a machine from another, on one line.
std::string describe(const Machine& machine);
Build this_build();

}  // namespace tilespmv::bench
