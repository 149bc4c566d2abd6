#include "tile/io/file_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "tile/error.hpp"
#include "tile/io/input.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv {

std::optional<FileIdentity> file_identity(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0) {
        if (!S_ISREG(status.st_mode)) return {};
        return FileIdentity{status.st_dev, status.st_ino, ""};
    }
    const auto target = output_target(file).file;
    if (::stat(target.parent_path().c_str(), &status) != 0) return {};
    return FileIdentity{status.st_dev, status.st_ino, target.filename().string()};
}

void refuse_to_replace(const std::filesystem::path& output, const std::filesystem::path& input) {
    const auto of_output = file_identity(output);
    if (!of_output || of_output != file_identity(input)) return;
    throw Error(fmt::format("{}: would replace the input {}; choose another name", output.string(), input.string()),
                ExitCode::usage);
}

}  // namespace tilespmv
