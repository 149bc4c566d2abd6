#include "tools/bindings/matrix.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/load.hpp"
#include "kernels/transpose.hpp"
#include "selector/policy.hpp"
#include "tile/archive/archive.hpp"
#include "tile/error.hpp"
#include "tools/bindings/solve.hpp"
#include "tools/bindings/stream_order.hpp"
#include "tools/bindings/tile_records.hpp"
#include "tools/bindings/value_types.hpp"
#include "tools/bindings/views.hpp"
#include "tools/bindings/workspace.hpp"

namespace tilespmv::bindings {
namespace {

/// Of blocks, however many columns they have: as many as one pass multiplies at most.
const std::string kForBlocks = "auto:columns=8";

template <Value V>
class MatrixOf final : public Matrix {
public:
    MatrixOf(Source<V> source, Backend backend, const std::string& operator_name)
        : source_(std::move(source)), backend_(backend), operator_name_(operator_name) {
        operator_ = make(operator_name_, source_);
        std::tie(rows_, cols_, nnz_) = std::tuple(operator_->rows(), operator_->cols(), operator_->nnz());
    }
    /// Of a matrix on the GPU, whose arrays live as long as `owner`.
    MatrixOf(const cuda::DeviceCsrView<V>& there, std::shared_ptr<void> owner, const std::string& operator_name)
        : MatrixOf(Source<V>(there), Backend::cuda, operator_name) {
        owner_ = std::move(owner);
        there_ = there;
        is_read_in_place_ = operator_->facts().no_new_values == kReadInPlace;
    }

    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] Facts facts() const override {
        const std::scoped_lock lock(mutex_);
        Facts facts = operator_->facts();
        if (for_blocks_) {
            facts.other_bytes += for_blocks_->facts().matrix_bytes + for_blocks_->facts().other_bytes;
            facts.is_reproducible = facts.is_reproducible && for_blocks_->facts().is_reproducible;
        }
        return facts;
    }
    [[nodiscard]] std::string specification() const override {
        const std::scoped_lock lock(mutex_);
        return std::string(operator_->specification());
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        const std::scoped_lock lock(mutex_);
        return operator_->executed();
    }
    [[nodiscard]] std::string_view value_type() const override { return value_name<V>(); }
    [[nodiscard]] Backend backend() const override { return backend_; }

    bool multiply(double alpha, const Array& x, double beta, const Array& y, bool is_transposed, std::uintptr_t stream,
                  const Workspace* workspace) override {
        const auto from = block_of<const V>(x);
        const auto to = block_of<V>(y);
        if (!from || !to) return false;
        require_product<V>(*from, *to, is_transposed ? rows_ : cols_, is_transposed ? cols_ : rows_);
        require_memory(x.memory, y.memory, backend_);
        if (x.memory == Memory::device) {
            require_on_current_gpu(x.data);
            require_on_current_gpu(y.data);
        }
        const std::scoped_lock lock(mutex_);
        const Operator<V>& op = operator_for(from->cols, is_transposed);
        Run run;
        run.op = is_transposed ? Op::transpose : Op::none;
        if (workspace != nullptr) {
            require_fits(*workspace, {shared_from_this(), from->cols > 1, is_transposed, preparation_, nullptr});
        }
        if (workspace != nullptr && x.memory == Memory::device) {
            run.stream = reinterpret_cast<CUstream_st*>(stream);  // NOLINT
            run.workspace = workspace->memory.get();
            op.apply(alpha, *from, beta, *to, run);
            return true;
        }
        StreamOrder::Turn turn;
        if (backend_ == Backend::cuda) {
            const Operator<V>& works = serving(op, run.op);
            const int most = works.facts().takes_workspace ? StreamOrder::kMostWorkspaces : 1;
            turn = x.memory == Memory::device ? order_.follow(stream, most) : order_.follow_own();
            run.stream = turn.stream;
            run.workspace = workspace_of(works, turn);
        }
        op.apply(alpha, *from, beta, *to, run);
        order_.leave(turn);
        return true;
    }

    [[nodiscard]] std::size_t workspace_bytes(int cols, bool is_transposed) override {
        const std::scoped_lock lock(mutex_);
        return bindings::workspace_bytes(multiplying(cols, is_transposed));
    }
    [[nodiscard]] Workspace make_workspace(int cols, bool is_transposed, void* memory) override {
        const std::scoped_lock lock(mutex_);
        const Operator<V>& op = multiplying(cols, is_transposed);
        return {shared_from_this(), cols > 1, is_transposed, preparation_, bindings::make_workspace(op, memory)};
    }

    void update_values(const void* values, std::int64_t nnz, Memory memory, std::uintptr_t stream) override {
        if (nnz != nnz_) {
            throw Error(fmt::format("{} values for a matrix of {} nonzeros", nnz, nnz_), ExitCode::usage);
        }
        if (there_) return update_matrix_there(values, stream);
        if (memory == Memory::device && update_operator_there(values, stream)) return;
        Buffer<V> host(static_cast<std::size_t>(nnz));
        if (memory == Memory::device) {
            copy_to_host(host.data(), values, host.bytes(), stream);
        } else {
            std::copy_n(static_cast<const V*>(values), nnz, host.data());
        }
        auto updated = std::make_shared<CsrMatrix<V>>(pattern_with(std::move(host)));
        Source<V> source(*updated);  // outlives the lock with what it gets, whose end may need Python's
        const std::scoped_lock lock(mutex_);
        order_.wait_for_device(backend_ == Backend::cuda);
        const Block<const V> given(updated->values.data(), updated->values.size());
        if (!renew(*operator_, given, nullptr)) make_again(operator_name_, source);
        renew_blocks(given, nullptr);
        order_.wait_for_device(backend_ == Backend::cuda);
        std::swap(updated_, updated);
        std::swap(source_, source);
        is_newer_there_ = false;
    }

    [[nodiscard]] CsrArrays csr() const override {
        const auto owner = std::make_shared<Snapshot>(snapshot());
        const CsrMatrix<V>& a = owner->csr();
        return {a.rows, a.cols, a.nnz(), a.row_ptrs.data(), true, a.col_idxs.data(), a.values.data(), owner};
    }

    void to_csr(const CsrToFill& to) const override {
        auto* const values = static_cast<V*>(to.values);
        if (to.memory == Memory::device) {
            require_on_current_gpu(to.row_ptrs);
            const std::scoped_lock lock(mutex_);
            order_.wait_for_device(backend_ == Backend::cuda);  // new values on a stream
            fetch_newer_values();
            const auto csr = make_operator<V>("csr-vector", source_, {.backend = Backend::cuda});
            return write_csr(*csr, to.row_ptrs, to.col_idxs, values, to.stream);
        }
        const Snapshot now = snapshot();
        const CsrMatrix<V>& a = now.csr();
        std::copy(a.row_ptrs.begin(), a.row_ptrs.end(), to.row_ptrs);
        std::copy(a.col_idxs.begin(), a.col_idxs.end(), to.col_idxs);
        std::copy(a.values.begin(), a.values.end(), values);
    }

    void save(const std::string& file, const std::string& selector) const override {
        write_archive(file, tiled(selector), formats::format_table());
    }

    [[nodiscard]] std::vector<TileRecord> tiles(const std::string& selector) const override {
        return tile_records(tiled(selector));
    }
    [[nodiscard]] std::vector<std::pair<std::string, double>> statistics(const std::string& selector) const override {
        return named_statistics(snapshot().csr(), tiled(selector));
    }

    [[nodiscard]] std::vector<Candidate> candidates() const override {
        return candidates_for(snapshot().csr(), backend_);
    }

    SolveResult solve(const Array& b, const Array& x, const SolveRequest& request) const override {
        if constexpr (CpuValue<V>) {
            if (there_) return solve_there(b, x, request);
            if (b.memory == Memory::device) order_.wait_for_device(true);
            return solve_system<V>(snapshot().csr().clone(), backend_, b, x, request);
        } else {
            throw Error(fmt::format("solve takes float64 and float32, not {}", value_name<V>()), ExitCode::usage);
        }
    }

private:
    using AnyOperator = std::unique_ptr<Operator<V>>;
    [[nodiscard]] AnyOperator make(const std::string& name, const Source<V>& source) const {
        return make_operator<V>(name, source, {.backend = backend_});
    }
    [[nodiscard]] AnyOperator transposed(AnyOperator op, const std::string& name, const Source<V>& a) const {
        return with_transpose<V>(std::move(op), a, [&](const Source<V>& source) { return make(name, source); });
    }
    /// Whether blocks of several columns have a form of their own: where `auto` chose one that reads the matrix for
    /// each column.
    [[nodiscard]] bool has_form_for_blocks() const {
        if (operator_name_ != "auto") return false;
        return backend_ == Backend::cpu ? operator_->name() != "csr-omp" : operator_->facts().most_columns == 1;
    }
    /// The operator for a product, made with the first that needs it.
    const Operator<V>& operator_for(int cols, bool is_transposed) {
        const bool is_block = cols > 1 && has_form_for_blocks();
        AnyOperator& op = is_block ? for_blocks_ : operator_;
        const std::string& name = is_block ? kForBlocks : operator_name_;
        if (op && (!is_transposed || op->facts().transposes)) return *op;
        order_.wait_for_device(backend_ == Backend::cuda);  // new values on a stream
        fetch_newer_values();
        if (!op) op = make(name, source_);
        if (is_transposed) op = transposed(std::move(op), name, there_ ? source_ : Source<V>(source_.csr()));
        order_.wait_for_device(backend_ == Backend::cuda);
        return *op;
    }
    /// The one of the operators in it that does the work, in whose workspace it is done.
    const Operator<V>& multiplying(int cols, bool is_transposed) {
        return serving(operator_for(cols, is_transposed), is_transposed ? Op::transpose : Op::none);
    }
    /// Where an operator works in a turn, made with the first; null for its own workspace.
    cuda::Workspace* workspace_of(const Operator<V>& op, const StreamOrder::Turn& turn) {
        if (turn.workspace == 0) return nullptr;
        auto& kept = workspaces_[{&op, turn.workspace}];
        if (!kept) kept = bindings::make_workspace(op, nullptr);
        return kept.get();
    }
    /// Gives an operator new values; false if it has to be made again, as one with a transpose does whose matrix is no
    /// longer symmetric.
    static bool renew(Operator<V>& op, const Block<const V>& values, CUstream_st* on) {
        return op.takes_new_values() && op.try_update_values(values, on);
    }
    void renew_blocks(const Block<const V>& values, CUstream_st* on) {
        if (!for_blocks_ || (backend_ == Backend::cuda && renew(*for_blocks_, values, on))) return;
        forget_blocks();
    }
    void forget_blocks() {
        order_.wait_for_device(backend_ == Backend::cuda);
        workspaces_.clear();
        for_blocks_.reset();
        ++preparation_;
    }
    void make_again(const std::string& name, const Source<V>& source) {
        const bool transposes = operator_->facts().transposes;
        order_.wait_for_device(backend_ == Backend::cuda);
        workspaces_.clear();
        AnyOperator made = make(name, source);
        if (transposes) made = transposed(std::move(made), name, there_ ? source : Source<V>(source.csr()));
        solving_->push_back(std::exchange(operator_, std::move(made)));
        solving_ = std::make_shared<Kept>();
        order_.wait_for_device(backend_ == Backend::cuda);
        ++preparation_;
    }

    /// Copies the values to memory of this matrix on the GPU, after all products before.
    StreamOrder::Turn keep_there(const void* values, std::uintptr_t stream) {
        const bool is_new = !values_there_;
        if (is_new) values_there_ = std::make_shared<DeviceBytes>(static_cast<std::size_t>(nnz_) * sizeof(V));
        const StreamOrder::Turn turn = order_.follow_all(stream);
        values_there_->copy_from(values, reinterpret_cast<std::uintptr_t>(turn.stream));
        return turn;
    }
    [[nodiscard]] Block<const V> kept_values() const {
        return {static_cast<const V*>(values_there_->data()), static_cast<std::size_t>(nnz_), Memory::device};
    }
    /// New values of a matrix on the GPU. An operator that reads the caller's values is made again, once, and reads
    /// those that are kept here from then on. What solves use meanwhile is left to them.
    void update_matrix_there(const void* values, std::uintptr_t stream) {
        const std::scoped_lock lock(mutex_);
        const bool is_in_a_solve = solving_.use_count() > 1;
        if (is_in_a_solve) solving_->push_back(std::exchange(values_there_, nullptr));
        const bool is_first = !values_there_;
        const StreamOrder::Turn turn = keep_there(values, stream);
        there_->values = static_cast<const V*>(values_there_->data());
        source_ = Source<V>(*there_);
        const bool transposes = operator_->facts().transposes;
        const bool reads_kept = is_read_in_place_ && !is_first;
        const bool is_renewed =
            (reads_kept || !is_read_in_place_) && !is_in_a_solve && renew(*operator_, kept_values(), turn.stream);
        if (!is_renewed && !(reads_kept && !transposes)) make_again(std::string(operator_->specification()), source_);
        if (is_first && for_blocks_) forget_blocks();  // it may read the caller's
        renew_blocks(kept_values(), turn.stream);
        order_.leave(turn);
    }
    /// New values from the GPU for an operator of a matrix of the host; false if that has to be made again.
    bool update_operator_there(const void* values, std::uintptr_t stream) {
        const std::scoped_lock lock(mutex_);
        if (backend_ == Backend::cpu || !operator_->takes_new_values()) return false;
        const StreamOrder::Turn turn = keep_there(values, stream);
        if (!renew(*operator_, kept_values(), turn.stream)) return false;
        renew_blocks(kept_values(), turn.stream);
        order_.leave(turn);
        is_newer_there_ = true;
        return true;
    }
    /// Values on the GPU that the host does not have yet.
    void fetch_newer_values() const {
        if (!std::exchange(is_newer_there_, false)) return;
        order_.wait_for_device(true);
        const CsrMatrix<V>& a = source_.csr();
        Buffer<V> values(static_cast<std::size_t>(nnz_));
        copy_to_host(values.data(), values_there_->data(), values.bytes(), 0);
        updated_ = std::make_shared<CsrMatrix<V>>(
            CsrMatrix<V>{a.rows, a.cols, a.row_ptrs.clone(), a.col_idxs.clone(), std::move(values)});
        source_ = Source<V>(*updated_);
    }
    [[nodiscard]] CsrMatrix<V> pattern_with(Buffer<V> values) const {
        const Snapshot now = snapshot();
        const CsrMatrix<V>& a = now.csr();
        return {a.rows, a.cols, a.row_ptrs.clone(), a.col_idxs.clone(), std::move(values)};
    }
    /// Of a matrix on the GPU, with its values of now: others may come meanwhile. What multiplies in products does so
    /// here, too.
    SolveResult solve_there(const Array& b, const Array& x, const SolveRequest& request) const {
        std::unique_lock lock(mutex_);
        order_.wait_for_device(true);  // new values on a stream
        const std::shared_ptr<Kept> kept = solving_;
        const cuda::DeviceCsrView<V> now = *there_;
        const Operator<V>* const by =
            request.operator_name == operator_name_ ? &serving(*operator_, Op::none) : nullptr;
        lock.unlock();
        return solve_system<V>(now, backend_, b, x, request, by);
    }
    /// The matrix with its values of now, which stays as it is.
    struct Snapshot {
        std::shared_ptr<CsrMatrix<V>> values;
        Source<V> source;
        [[nodiscard]] const CsrMatrix<V>& csr() const { return source.csr(); }
    };
    [[nodiscard]] Snapshot snapshot() const {
        const std::scoped_lock lock(mutex_);
        if (there_) {
            order_.wait_for_device(true);  // new values on a stream
            static_cast<void>(source_.csr());
        }
        fetch_newer_values();
        return {updated_, source_};
    }
    [[nodiscard]] TileMatrix<V> tiled(const std::string& selector) const {
        const Snapshot now = snapshot();
        return convert(now.csr(), *make_policy(selector));
    }

    mutable std::mutex mutex_;  // of products, new values and what they change
    mutable Source<V> source_;
    mutable std::shared_ptr<CsrMatrix<V>> updated_;  // that the source views after new values
    std::shared_ptr<void> owner_;                    // of a matrix on the GPU, ...
    std::optional<cuda::DeviceCsrView<V>> there_;    // ... which the source views, ...
    bool is_read_in_place_ = false;                  // ... and the operator
    std::shared_ptr<DeviceBytes> values_there_;      // new values that came from the GPU
    mutable bool is_newer_there_ = false;            // than those of the host
    Backend backend_;
    std::string operator_name_;
    index_t rows_ = 0;
    index_t cols_ = 0;
    offset_t nnz_ = 0;
    AnyOperator operator_;
    /// Operators and values that solves of now use, and this no longer; each solve has a share in it.
    using Kept = std::vector<std::shared_ptr<void>>;
    std::shared_ptr<Kept> solving_ = std::make_shared<Kept>();
    AnyOperator for_blocks_;  // null until there is a product of several columns
    int preparation_ = 0;     // how often an operator was made again or forgotten
    /// Of operators and turns; they go when products in them are complete, before the operators.
    std::map<std::pair<const Operator<V>*, int>, std::shared_ptr<cuda::Workspace>> workspaces_;
    mutable StreamOrder order_;
};

}  // namespace

std::unique_ptr<Matrix> make_matrix(std::string_view value_type, const CsrArrays& arrays, Backend backend,
                                    const std::string& operator_name) {
    if (arrays.memory == Memory::device && backend == Backend::cpu) {
        throw Error("the matrix is in the memory of a GPU: make it with device=\"cuda\"", ExitCode::usage);
    }
    return with_value_type(value_type, [&]<Value V>() -> std::unique_ptr<Matrix> {
        if (arrays.memory == Memory::device) {
            require_on_current_gpu(arrays.values);
            return std::make_unique<MatrixOf<V>>(view_device_csr<V>(arrays), arrays.owner, operator_name);
        }
        return std::make_unique<MatrixOf<V>>(Source<V>(view_csr<V>(arrays)), backend, operator_name);
    });
}

std::unique_ptr<Matrix> load_matrix(const std::string& name, std::string_view value_type, Backend backend,
                                    const std::string& operator_name, const std::function<void()>& progress) {
    std::string type(value_type);
    if (type.empty()) type = stored_value_type(name);
    if (type.empty()) type = value_name<double>();
    LoadOptions options;
    options.progress = [&](double) { progress(); };
    return with_value_type(type, [&]<Value V>() -> std::unique_ptr<Matrix> {
        return std::make_unique<MatrixOf<V>>(load_source<V>(name, options), backend, operator_name);
    });
}

}  // namespace tilespmv::bindings
