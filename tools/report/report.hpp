#pragma once

#include <filesystem>
#include <string>

#include "selector/models/profile.hpp"

/// A profile as a page for people: one HTML file that loads nothing, with the profile in it as JSON, which its own
/// script draws. What is shown follows from what is in the profile, so that a kernel, an operator, a feature or a term
/// that is added to one appears without a change here; `page/` has the parts of the page.
namespace tilespmv::tools {

/// The data of the page: the profile as `PROFILE.md` describes it, without row_rounds, and with the number of anchors
/// (anchor_count) in their place. Products have naive_s, bytes over bandwidth, and baseline if they are never chosen;
/// matrices have by_models, by_held_out and by_rules: operators in the order in which models, models of other matrices
/// and the rules take them; `solver` is what models of the solver say (`solver_data.hpp`). It contains none of < > &,
/// so that nothing in it ends the element it stands in.
std::string report_data(const Profile& profile);

/// The page.
std::string report_page(const Profile& profile);

/// Replaces the file as a whole. Throws `Error` if it cannot be written.
void write_report(const std::filesystem::path& file, const Profile& profile);

}  // namespace tilespmv::tools
