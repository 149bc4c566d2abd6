#include "kernels/multi_gpu/load_nccl.hpp"

#include <string>

#include <dlfcn.h>

#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

std::string last_error() {
    const char* const text = dlerror();
    return text == nullptr ? "unknown error" : text;
}

[[noreturn]] void throw_unavailable(const std::string& why) {
    throw Error("GPUs that do not reach each other's memory need NCCL, which cannot be loaded: " + why +
                    "; install it, add its folder to LD_LIBRARY_PATH, or take one GPU",
                ExitCode::unavailable);
}

}  // namespace

void* load_nccl(std::span<const char* const> files) {
    std::string why;  // of the first
    for (const char* const file : files) {
        if (void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
        if (why.empty()) why = last_error();
    }
    throw_unavailable(why);
}

void* find_in_nccl(void* library, const char* function) {
    void* const found = dlsym(library, function);
    if (found == nullptr) throw_unavailable(last_error());
    return found;
}

}  // namespace tilespmv::multi_gpu
