#pragma once

#include <utility>

#include "kernels/refusal.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::testing {

/// What `make` makes of an operator, or null where it refuses the matrix, in which its representation would take many
/// times the bytes of CSR. Only operators that are `only_if_named` may.
template <class Make>
auto unless_refused(const OperatorEntry& entry, Make&& make) -> decltype(make()) {
    try {
        return std::forward<Make>(make)();
    } catch (const Refusal&) {
        if (!entry.only_if_named) throw;
        return nullptr;
    }
}

}  // namespace tilespmv::testing
