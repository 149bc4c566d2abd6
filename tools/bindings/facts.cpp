#include "formats/list.hpp"
#include "kernels/cuda/device.hpp"
#include "tile/error.hpp"
#include "tools/bindings/matrix.hpp"

namespace tilespmv::bindings {

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    for (const FormatInfo& format : formats::format_table()) names.emplace_back(format.name);
    return names;
}

bool has_gpu() {
    try {
        static_cast<void>(cuda::require_device());
        return true;
    } catch (const Error& error) {
        if (error.code() != ExitCode::unavailable) throw;
        return false;
    }
}

}  // namespace tilespmv::bindings
