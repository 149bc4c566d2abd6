#pragma once

#include <span>
#include <vector>

#include "selector/models/profile.hpp"

/// Models and rules together: how much the rules count for where operators are compared.
namespace tilespmv {

/// Sets the charges of operators by which they are compared with a geometric mean of what models and rules predict, in
/// which the rules have this share. Their errors have little to do with each other: among many operators the fastest
/// prediction of one kind alone is often one that is too low. Rules count by what they say of operators over the
/// others. What they do not know has to be clearly faster, in proportion to their share ("Models of `tune`" in
/// `bench/NOTES.md`).
void charge_by_rules(std::vector<RankedOperator>& by_models, const std::vector<RankedOperator>& by_rules, double share);

/// The same operators with the times of models that have not seen the matrix; those without one are left out.
std::vector<RankedOperator> held_out(const std::vector<RankedOperator>& ranked, const MeasuredMatrix& matrix);

/// For each sizes of numbers with measurements enough, models alone or with half a share of the rules: the latter where
/// by that choices of models that have not seen the matrix take less time, in the geometric mean over the fastest
/// operator, by more than the standard error of the difference. Needs the models of the profile.
std::vector<RulesShare> fit_rules_shares(const Profile& profile);

/// That of the nearest sizes; where there is none, `RulesShare` has one.
double find_rules_share(std::span<const RulesShare> shares, const NumberSizes& sizes);

}  // namespace tilespmv
