#pragma once

#include <cstdint>
#include <string>

namespace tilespmv::tools {

// Numbers as people read them.

/// 1234567 as 1,234,567.
std::string grouped(std::int64_t n);

/// A share between 0 and 1 in percent: 41.3%, 0.052%; something that is not 0 never reads as 0.
std::string percent(double share);

/// Bytes in decimal units: 999 B, 1.23 kB, 45.6 MB.
std::string byte_size(std::int64_t bytes);

}  // namespace tilespmv::tools
