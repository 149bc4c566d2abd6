#pragma once

#include <cstdint>
#include <string>

namespace tilespmv::bench {

/// The machine that results were measured on.
struct Machine {
    std::string cpu;     ///< model name
    std::string system;  ///< operating system and its version
    int cores = 0;
    int hardware_threads = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t cache_bytes = 0;  ///< last level

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
Build this_build();

}  // namespace tilespmv::bench
