#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/accumulator.hpp"
#include "kernels/operator.hpp"

namespace tilespmv {

/// Where operators run.
enum class Backend { cpu, cuda };

/// An operator of a backend, as lists and sweeps need it.
struct OperatorEntry {
    std::string_view name;
    std::string_view summary;
    bool needs_tiles = false;
    std::string_view sweeps = {};                    ///< `cuda::DeviceOperatorInfo::sweeps`
    Accumulator accumulator = Accumulator::float64;  ///< unless another is asked for
    bool sums_in_own_type = false;                   ///< has no choice of accumulator
};

/// Throws a usage `Error` if the backend has no operators for values of V.
template <Value V>
void require_values(Backend backend);

/// Every operator of a backend; none for `cuda` in a build without it.
template <Value V>
std::vector<OperatorEntry> operator_entries(Backend backend);

/// The entry of a specification `name[:option=value,...]`. Throws a usage `Error` that lists the names there are, or
/// says that the name belongs to the other backend.
template <Value V>
OperatorEntry find_entry(Backend backend, std::string_view specification);

/// An operator as a command line chose it, on any backend, for vectors in the memory of the host.
template <Value V>
struct ChosenOperator {
    std::string name;  ///< the specification
    bool needs_tiles = false;
    /// Throws `Error` (bad options, out of memory, no GPU).
    std::function<std::unique_ptr<Operator<V>>(const OperatorSource<V>&)> make;
    Accumulator accumulator = Accumulator::float64;
};

/// Throws a usage `Error` for a name or an accumulator that the backend does not have.
template <Value V>
ChosenOperator<V> choose_operator(Backend backend, const std::string& specification,
                                  std::optional<Accumulator> accumulator = {});

}  // namespace tilespmv
