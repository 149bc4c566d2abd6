#pragma once

#include <string_view>
#include <utility>

#include "kernels/registry.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {

/// What `make` makes of an operator, or null where it refuses the matrix, in which its representation would take many
/// times the bytes of CSR. Only operators that are `only_if_named` may.
template <class Make>
auto unless_refused(const OperatorEntry& entry, Make&& make) -> decltype(make()) {
    try {
        return std::forward<Make>(make)();
    } catch (const Error& error) {
        const bool is_refusal = std::string_view(error.what()).ends_with("take another operator");
        if (!entry.only_if_named || !is_refusal) throw;
        return nullptr;
    }
}

}  // namespace tilespmv::testing
