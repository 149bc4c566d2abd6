#include "kernels/operators/csr/shape_options.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

namespace tilespmv::cuda {

VectorShape read_vector_shape(Options& options, index_t rows, offset_t nnz,
                              const std::function<RowLengths()>& lengths_of_rows, const VectorTuning& tuning) {
    VectorShape shape;
    shape.threads = options.one_of("threads", 0, {2, 4, 8, 16, 32});
    const std::string rule = options.word("rule", "");
    shape.flight = options.one_of("flight", 0, {1, 4, 8});
    options.finish();
    if (!rule.empty() && rule != "mean" && rule != "rows") {
        options.fail(fmt::format("rule={}, expected mean or rows", rule));
    }
    if (!rule.empty() && shape.threads > 0) options.fail("threads are either given or chosen by a rule");
    if (rule == "mean") shape.threads = threads_of_mean_row(rows, nnz);
    if (shape.threads > 0) return {shape.threads, shape.flight > 0 ? shape.flight : 4};
    const RowLengths lengths = lengths_of_rows();
    if (shape.flight > 0) return vector_shape(lengths, std::array{shape.flight}, tuning);
    return vector_shape(lengths, kVectorFlights, tuning);
}

}  // namespace tilespmv::cuda
