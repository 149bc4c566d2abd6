#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilespmv::test {

/// Fails unless `actual` is byte for byte the file golden/`name`, with the first line that differs. If the environment
/// has TILESPMV_UPDATE_GOLDEN=1, the file is written instead: read what it holds before committing it.
void expect_golden(const std::string& name, const std::string& actual);

/// The same for a PNG file, pixel by pixel, however it is compressed.
void expect_golden_picture(const std::string& name, const std::vector<std::byte>& actual);

}  // namespace tilespmv::test
