#include "tile/io/temporary_file.hpp"

#include <utility>

#include <unistd.h>

#include "tile/io/signal_table.hpp"

namespace tilespmv {
namespace {

SignalTable<const std::filesystem::path, 64> files;

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path file)
    : path_(std::make_unique<std::filesystem::path>(std::move(file))), listed_(files.add(path_.get())) {}

TemporaryFile::~TemporaryFile() {
    if (!kept_) ::unlink(path_->c_str());
    if (listed_ && !files.remove(path_.get())) static_cast<void>(path_.release());  // a signal handler reads it
}

void remove_temporary_files() noexcept {
    files.take_all([](const std::filesystem::path& file) { ::unlink(file.c_str()); });
}

}  // namespace tilespmv
