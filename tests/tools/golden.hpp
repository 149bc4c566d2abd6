#pragma once

#include <string>

namespace tilespmv::test {

/// Fails unless `actual` is byte for byte the file golden/`name`, with the first line that differs. If the environment
/// has TILESPMV_UPDATE_GOLDEN=1, the file is written instead: read what it holds before committing it.
void expect_golden(const std::string& name, const std::string& actual);

}  // namespace tilespmv::test
