#pragma once

#include <gtest/gtest.h>

#include <hwy/highway.h>

namespace tilespmv::testing {

/// Calls `check` with each instruction set of this machine in the place of its best one.
template <class F>
void on_every_instruction_set(F&& check) {
    const auto use = [](std::int64_t targets) {
        hwy::SetSupportedTargetsForTest(targets);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    };
    const auto supported = hwy::SupportedTargets();
    for (auto left = supported; left != 0; left &= left - 1) {
        SCOPED_TRACE(hwy::TargetName(left & -left));
        use(left & -left);
        check();
    }
    use(0);
}

}  // namespace tilespmv::testing
