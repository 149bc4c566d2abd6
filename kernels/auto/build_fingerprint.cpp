#include "kernels/auto/build_fingerprint.hpp"

#include "tilespmv_fingerprint.hpp"

namespace tilespmv {

std::string_view build_fingerprint() { return TILESPMV_FINGERPRINT; }

}  // namespace tilespmv
