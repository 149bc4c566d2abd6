#include "tools/python/shared.hpp"

#include <map>
#include <mutex>
#include <random>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::bindings {
namespace {

struct Shared {
    std::mutex mutex;
    std::uint64_t next = std::uint64_t{std::random_device{}()} << 32U;
    std::map<std::string, std::weak_ptr<Matrix>, std::less<>> matrices;
};

Shared& all() {
    static Shared shared;
    return shared;
}

}  // namespace

std::string share(const std::shared_ptr<Matrix>& matrix) {
    Shared& shared = all();
    const std::scoped_lock lock(shared.mutex);
    std::erase_if(shared.matrices, [](const auto& known) { return known.second.expired(); });
    std::string key = fmt::format("{:x}", shared.next++);
    shared.matrices.emplace(key, matrix);
    return key;
}

std::shared_ptr<Matrix> shared_matrix(std::string_view key) {
    Shared& shared = all();
    const std::scoped_lock lock(shared.mutex);
    const auto found = shared.matrices.find(key);
    auto matrix = found == shared.matrices.end() ? nullptr : found->second.lock();
    if (!matrix) {
        throw Error("the matrix of a compiled function is gone: keep it, or compile the function again in this process",
                    ExitCode::usage);
    }
    return matrix;
}

}  // namespace tilespmv::bindings
