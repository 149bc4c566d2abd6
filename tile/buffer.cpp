#include "tile/csr.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <sys/mman.h>

#include "tile/error.hpp"

namespace tilespmv {

std::shared_ptr<void> allocate_bytes(std::size_t bytes) {
    constexpr std::size_t cache_line = 64;
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
    // No padding to the alignment: posix_memalign, unlike aligned_alloc, takes any size.
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        throw Error(fmt::format("out of memory: {} bytes are needed", bytes));
    }
    if (alignment == huge_page) {
        madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; fewer page faults and TLB misses where it is taken
    }
    return {memory, std::free};
}

}  // namespace tilespmv
