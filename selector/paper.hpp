#pragma once

#include "selector/reasoned_policy.hpp"
#include "tile/options/options.hpp"

namespace tilespmv {

/// Thresholds of the selection rules, each with where it comes from. "The paper": Niu et al., TileSpMV, IPDPS 2021,
/// its selection of formats. "The GPU code" and "the CPU code": what its authors released, the converter of the
/// GPU program (csr2tile.h) and that of the CPU program (main_spmv.c, format_trans.h). As released, the GPU code has
/// the branches of ELL and HYB commented out; their conditions are meant here.
///
/// The initial values are the published rules and nothing else.
struct PaperRules {
    /// Share of nonzeros from which a tile is dense. Published twice: 0.75 by the paper and the GPU code, 0.5 by the
    /// CPU code. The GPU code rounds the product with rows x columns down, which matters for tiles at the edges only.
    double dense = kDensePublished;
    int coo = 12;      ///< up to so many nonzeros: coo (paper, both codes)
    double ell = 0.2;  ///< up to this variation of the row lengths: ell (paper, both codes) ...
    /// ... if so much of the block would be nonzeros (ours; 0, no such guard, is as published)
    double ell_fill = 0;
    double hyb = 1.0;  ///< from this variation on: hyb (paper, both codes) ...
    /// ... if at most so many nonzeros end in its COO part (GPU code; the CPU code has no such guard) ...
    int hyb_rest = 4;
    /// ... and at most this share of them (ours; 1, no such guard, is as published)
    double hyb_coo = 1;
    /// Tiles of at most so many nonzeros go to the CSR remainder (DeferredCOO: those that would be coo; paper, both
    /// codes). 0: none, as in the adaptive configuration.
    int defer = 0;
    /// The COO part of HYB goes to the CSR remainder too, so that its block stays as an ELL tile (both codes, in
    /// DeferredCOO).
    bool defer_hyb = false;

    static constexpr double kDensePublished = 0.75;
    static constexpr double kDenseCpuCode = 0.5;

    /// The rules with guards of our own instead of `hyb_rest`, `paper-tuned` in `bench/RESULTS.md`: ELL blocks
    /// with more than a quarter of padding are left to CSR, which takes fewer bytes then; HYB stands wherever its block
    /// holds at least half of the nonzeros, which takes more bytes than the published guard (`bench/NOTES.md`).
    static PaperRules tuned();

    /// Replaces those of its members that the options name.
    void read(Options& options);
};

/// The rules in the published order: dense, coo, dense_row, dense_col, ell, hyb, else csr.
class PaperPolicy final : public ReasonedPolicy {
public:
    explicit PaperPolicy(const PaperRules& rules) : rules_(rules) {}
    [[nodiscard]] TileChoice choose(const TilePattern& pattern, int value_bytes) const override;
    [[nodiscard]] std::string reason(const TilePattern& pattern, int value_bytes) const override;
    [[nodiscard]] bool may_defer() const override { return rules_.defer > 0 || rules_.defer_hyb; }

private:
    PaperRules rules_;
};

}  // namespace tilespmv
