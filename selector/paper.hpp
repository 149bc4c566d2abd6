#pragma once

#include "formats/convert.hpp"
#include "tile/options.hpp"

namespace tilespmv {

/// Thresholds of the published selection rules (Niu et al., TileSpMV, IPDPS 2021).
struct PaperRules {
    double dense = 0.75;     ///< share of nonzeros from which a tile is dense
    int coo = 12;            ///< up to so many nonzeros: coo
    double ell = 0.2;        ///< up to this variation of the row lengths: ell ...
    double ell_fill = 0.75;  ///< ... if so much of the block would be nonzeros (no such guard in the paper)
    double hyb = 1.0;        ///< from this variation on: hyb ...
    double hyb_coo = 0.5;    ///< ... if at most this share of the nonzeros ends in its COO part
    int defer = 0;           ///< tiles of at most so many nonzeros go to the CSR remainder

    /// Reads those of its members that the options name.
    static PaperRules from(Options& options);
};

/// The published rules: dense, coo, dense_row, dense_col, ell, hyb, else csr, in this order.
class PaperPolicy final : public TilePolicy {
public:
    explicit PaperPolicy(const PaperRules& rules) : rules_(rules) {}
    [[nodiscard]] TileChoice choose(const TilePattern& pattern, int value_bytes) const override;
    [[nodiscard]] bool may_defer() const override { return rules_.defer > 0; }

private:
    PaperRules rules_;
};

}  // namespace tilespmv
