#include "tools/picture/picture_file.hpp"

#include <string>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"
#include "tools/picture/png.hpp"
#include "tools/picture/svg.hpp"

namespace tilespmv::tools {
namespace {

std::string content_of(const std::filesystem::path& file, const Picture& picture) {
    try {
        return file.extension() == ".svg" ? svg(picture) : png(picture);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", printable(file.string()), error.what()), error.code());
    }
}

}  // namespace

void require_picture_name(std::string_view option, const std::filesystem::path& file) {
    if (file.extension() == ".png" || file.extension() == ".svg") return;
    throw Error(
        fmt::format("{}: found {}, expected a name that ends in .png or .svg", option, printable(file.string())),
        ExitCode::usage);
}

void write_picture(const std::filesystem::path& file, const Picture& picture) {
    OutputFile out(file);
    out.write(content_of(file, picture));
    out.commit();
}

}  // namespace tilespmv::tools
