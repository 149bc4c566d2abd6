// Compiled once for each library and program, not once for each of its files (build_time.cmake).
#if defined(__SSE2__) && !defined(__OPTIMIZE__)
#include <immintrin.h>  // before fmt, whose "GCC optimize" outlives it here and breaks intrinsics at -O0 (GCC 12)
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
