#pragma once

#include "selector/reasoned_policy.hpp"

namespace tilespmv {

/// The fewest bytes, level 1 counted: per tile the smallest format; the CSR remainder for tiles, tile rows and finally
/// the matrix where that is smaller. So a matrix never takes more than its CSR form with 32-bit indices and 24
/// bytes. Formats without a vector routine on the CPU are left out unless asked for, since they would be slow there.
class BytesPolicy final : public ReasonedPolicy {
public:
    /// `saving`: the fewest bytes that a tile must save against the remainder to stay a tile; may_defer = false keeps
    /// all tiles; walked = true takes formats without a vector routine, too.
    BytesPolicy(int saving, bool may_defer, bool walked = false)
        : saving_(saving), may_defer_(may_defer), walked_(walked) {}

    [[nodiscard]] TileChoice choose(const TilePattern& pattern, int value_bytes) const override;
    [[nodiscard]] std::string reason(const TilePattern& pattern, int value_bytes) const override;
    [[nodiscard]] bool may_defer() const override { return may_defer_; }
    [[nodiscard]] bool defer_row(offset_t tiled_bytes, offset_t csr_bytes) const override {
        return tiled_bytes > csr_bytes;
    }
    [[nodiscard]] bool keep_deferral(DeferralBytes bytes) const override { return bytes.with < bytes.without; }

private:
    int saving_;
    bool may_defer_;
    bool walked_;
};

}  // namespace tilespmv
