#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kernels/accumulator.hpp"
#include "kernels/matrix_forms.hpp"
#include "kernels/operator.hpp"
#include "tile/options/options.hpp"

/// Every operator there is, on every backend, in one table. To add one: derive from `cpu::HostOperator` or
/// `cuda::DeviceOperator` in a folder of its own, with an `OperatorInfo` beside it, and name that in `registry.cpp`.
namespace tilespmv {

namespace cuda {
template <class V>
class DeviceOperator;
struct DeviceContext;
}  // namespace cuda

/// Where operators run.
enum class Backend { cpu, cuda };

/// Whether an operator takes new values (`update_values`).
enum class NewValues {
    never,
    with_option,  ///< updatable=1
    always,
};

/// What lists, sweeps and commands know of an operator.
struct OperatorEntry {
    std::string_view name;     ///< on the command line
    std::string_view summary;  ///< says what options it takes
    Backend backend = Backend::cpu;
    Form made_from = Form::csr;   ///< the form that it needs; others are used if they are there
    bool takes_any_form = false;  ///< where that form is not there, another one will do
    bool takes_strips = false;    ///< strips will do, too, and are taken as they are
    NewValues new_values = NewValues::never;
    /// The values that `option=all` stands for, such as "alg=1|2" or "rows=1|2,block=64|128"; empty if there are none.
    std::string_view sweeps = {};
    bool sums_in_own_type = false;    ///< accumulates in the type of the values, those of 16 bits in float32: no choice
    bool takes_16_bit_values = true;  ///< float16 and bfloat16
    bool reads_csr_in_place = false;  ///< multiplies a CSR matrix in device memory where it lies
    /// Commands leave it out of "all operators": it suits few matrices.
    bool only_if_named = false;
};

/// Makes an operator on the CPU. The forms must outlive it. Reads its options; throws `Error`.
template <Value V>
using MakeOnHost = std::unique_ptr<Operator<V>> (*)(const MatrixForms<V>& forms, Options& options);

/// Makes an operator on the current GPU: uploads the matrix on the stream of `on` and waits for it, after which the
/// forms are not needed, except one in device memory that it `reads_csr_in_place`. Reads its options; throws `Error`
/// (usage for bad options and accumulators, out of memory with the bytes, CUDA's errors).
template <Value V>
using MakeOnDevice = std::unique_ptr<cuda::DeviceOperator<V>> (*)(const MatrixForms<V>& forms, Options& options,
                                                                  Accumulator accumulator,
                                                                  const cuda::DeviceContext& on);

/// An operator for values of V; it has the function of its backend, the other is null.
template <Value V>
struct OperatorInfo : OperatorEntry {
    MakeOnHost<V> make = nullptr;
    MakeOnDevice<V> make_on_device = nullptr;
};

/// What an operator accumulates in if nobody asks for anything else.
template <Value V>
constexpr Accumulator default_accumulator(const OperatorInfo<V>& info) {
    const bool is_narrow = info.sums_in_own_type && sizeof(V) == sizeof(float);
    return is_narrow ? Accumulator::float32 : default_accumulator<V>();
}

/// Every operator of a backend for values of V, on the CPU the reference first: none there for values of 16 bits, none
/// for the GPU in a build without CUDA.
template <Value V>
std::span<const OperatorInfo<V>> operators(Backend backend);

/// Adds an operator of a program's own, which commands, profiles and choices then know as those that are there. Its
/// texts must stay. Before other threads, and before `operators` is kept: that may move. Throws a usage `Error` for a
/// name that is taken or of other characters than letters, digits, '-' and '_', and for an entry without the function
/// of its backend.
template <Value V>
void register_operator(const OperatorInfo<V>& info);

/// The names of those that were registered.
template <Value V>
std::vector<std::string> registered_operators(Backend backend);

/// Throws a usage `Error` if the backend has no operators for values of V.
template <Value V>
void require_values(Backend backend);

/// The names of the operators for a GPU, in a build that has none of them, too.
std::span<const std::string_view> gpu_operator_names();

/// Whether there is an operator of this name, for the GPU by those names, too.
template <Value V>
bool is_operator_name(Backend backend, std::string_view name);

/// The operator of a specification `name[:option=value,...]`. Throws a usage `Error` if the backend has none for values
/// of V, for an unknown name (listing those there are), and for one of the other backend (saying so); an `unavailable`
/// one for an operator for a GPU where no GPU serves, and for one of cuSPARSE in a build without it.
template <Value V>
const OperatorInfo<V>& find_operator(Backend backend, std::string_view specification);

/// Makes the operator of a specification `name[:option=value,...]` on the CPU, such as "auto", the one that is
/// predicted to be fastest. The forms must outlive it. Throws as `find_operator` does, and `Error` if the form that the
/// operator is made from is not there, or if the arrays of one do not fit each other (columns are not read:
/// `validate`). On a GPU: `cuda::make_device_operator`.
template <Value V>
std::unique_ptr<Operator<V>> make_operator(std::string_view specification, const MatrixForms<V>& forms);

/// That which `auto` takes for the matrix.
template <Value V>
std::unique_ptr<Operator<V>> make_operator(const MatrixForms<V>& forms) {
    return make_operator<V>("auto", forms);
}

}  // namespace tilespmv
