#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/operator.hpp"
#include "kernels/source.hpp"
#include "tile/options/options.hpp"

/// Every operator there is, on every backend, in one table. To add one: derive from `cpu::HostOperator` or
/// `cuda::DeviceOperator` in a folder of its own, with an `OperatorInfo` beside it, and name it in
/// `kernels/operators/list.hpp`.
namespace tilespmv {

namespace cuda {
struct DeviceContext;
}
struct MatrixFeatures;  // selector/auto/matrix_features.hpp

/// Where operators run.
enum class Backend { cpu, cuda };

/// Whether an operator takes new values (`update_values`).
enum class NewValues {
    never,
    with_option,  ///< updatable=1
    always,
};

/// What an operator is there for.
enum class Role {
    product,  ///< one of the choice
    chooser,  ///< `auto`, which takes another one
    oracle,   ///< what results of the others are checked against
    library,  ///< another library's, to compare with
};

/// What an operator of a program's own says of its product with a matrix, on this machine.
struct Prediction {
    double seconds = 0;              ///< of a product
    double preparation_seconds = 0;  ///< from CSR
    double matrix_bytes = 0;         ///< that a product reads
};

/// What lists, sweeps and commands know of an operator.
struct OperatorEntry {
    std::string_view name;     ///< on the command line
    std::string_view summary;  ///< says what options it takes
    Backend backend = Backend::cpu;
    Form made_from = Form::csr;  ///< the form that it asks its source for; others are used if they are there
    NewValues new_values = NewValues::never;
    /// The values that `option=all` stands for, such as "alg=1|2" or "rows=1|2,block=64|128"; empty if there are none.
    std::string_view sweeps = {};
    bool sums_in_own_type = false;    ///< accumulates in the type of the values, those of 16 bits in float32: no choice
    bool takes_16_bit_values = true;  ///< float16 and bfloat16
    bool reads_csr_in_place = false;  ///< multiplies a CSR matrix where it lies, on a GPU one in its memory
    /// Columns that one pass over the matrix multiplies at most, `kAllColumns` if any number, where `auto` takes it for
    /// several of them; else 0.
    int pass_columns = 0;
    /// Commands leave it out of "all operators": it suits few matrices.
    bool only_if_named = false;
    Role role = Role::product;
    /// Of a program's own, if `auto` is to compare it with the others: nothing for a matrix that it does not suit.
    std::optional<Prediction> (*predict)(const MatrixFeatures& matrix) = nullptr;
};

/// Where an operator is made.
struct MakeContext {
    Backend backend = Backend::cpu;
    std::optional<Accumulator> accumulator{};  ///< what it sums up in; none: its default
    /// On a GPU, the current one: the stream on which the matrix is copied, and the memory that it takes; null: a
    /// stream of the operator's own, on which products of vectors in the memory of the host run, and the library's
    /// memory.
    const cuda::DeviceContext* device = nullptr;
};

/// Makes an operator of the form of a source that it asks for. Reads its options; throws `Error` (usage for bad options
/// and accumulators, out of memory with the bytes, CUDA's errors). The context has an accumulator, and for a GPU a
/// device. On the CPU an operator that multiplies a form where it lies keeps the source, and forms that were given by
/// reference must outlive it. One on a GPU is a `cuda::DeviceOperator` that has copies of all, except of a matrix in
/// device memory that it `reads_csr_in_place`.
template <Value V>
using Make = std::unique_ptr<Operator<V>> (*)(const Source<V>& source, Options& options, const MakeContext& context);

/// An operator for values of V.
template <Value V>
struct OperatorInfo : OperatorEntry {
    Make<V> make = nullptr;
    /// How `auto` makes it of CSR where that is simpler; it may return null, which says that `make` is to do it.
    Make<V> make_for_auto = nullptr;
    /// Whether it is for products of so many columns by this matrix, if it has `pass_columns`; null: always.
    bool (*suits_columns)(const Source<V>& source, int columns) = nullptr;
    /// On a GPU, of the matrix for products by the transpose; null: by a second one, which is made of the transpose.
    Make<V> make_transpose = nullptr;
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

/// Adds an operator of a program's own, which commands then know as those that are there; `auto` takes it where by its
/// `predict` it is the fastest. Its texts must stay. Before other threads, and before `operators` is kept: that may
/// move. Throws a usage `Error` for a name that is taken or of other characters than letters, digits, '-' and '_', for
/// an entry without a function that makes it, and for one that predicts and does not always take new values, as what
/// `auto` takes must.
template <Value V>
void register_operator(const OperatorInfo<V>& info);

/// Throws a usage `Error` if the backend has no operators for values of V.
template <Value V>
void require_values(Backend backend);

/// The names of the operators for a GPU, in a build that has none of them, too.
std::vector<std::string_view> gpu_operator_names();

/// Whether there is an operator of this name, for the GPU by those names, too.
template <Value V>
bool is_operator_name(Backend backend, std::string_view name);

/// The operator of a specification `name[:option=value,...]`. Throws a usage `Error` if the backend has none for values
/// of V, for an unknown name (listing those there are), and for one of the other backend (saying so); an `unavailable`
/// one for an operator for a GPU where no GPU serves, and for one of cuSPARSE in a build without it.
template <Value V>
const OperatorInfo<V>& find_operator(Backend backend, std::string_view specification);

/// Makes the operator of a specification `name[:option=value,...]`, such as "auto", the one that is predicted to be
/// fastest, on the CPU, or where the context says. Every operator is made from every form (`Source`); what is made of
/// those that were given by reference must not outlive them, see `Make`. Throws as `find_operator` and `Make` do, and
/// `Error` if the arrays of a form do not fit each other (columns are not read: `validate`), and for the CPU if the
/// matrix is in the memory of a GPU only. As a `cuda::DeviceOperator`: `cuda::make_device_operator`.
template <Value V>
std::unique_ptr<Operator<V>> make_operator(std::string_view specification, const Source<V>& source,
                                           const MakeContext& context = {});

/// That which `auto` takes for the matrix.
template <Value V>
std::unique_ptr<Operator<V>> make_operator(const Source<V>& source, const MakeContext& context = {}) {
    return make_operator<V>("auto", source, context);
}

}  // namespace tilespmv
