#include <string>

#include <fmt/format.h>

#include "kernels/csr/csr_operators.hpp"
#include "kernels/csr16/csr16_operator.hpp"
#if TILESPMV_HAS_CUSPARSE
#include "kernels/cusparse/cusparse_operators.hpp"
#endif
#include "kernels/cuda/device_operator.hpp"
#include "kernels/mixed/mixed_operator.hpp"
#include "kernels/tile/tile_operator.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {

template <class V>
std::span<const DeviceOperatorInfo<V>> device_operators() {
    static constexpr DeviceOperatorInfo<V> list[] =
    { {"tile",
       "every tile in the way of its format, deferred nonzeros as CSR rows; updatable=1 keeps a map for new values",
       true, make_tile_operator<V>},
      {"mixed",
       "for each tile row the faster of `tile` and `csr16`; tiles_from=N takes csr16 for all where fewer nonzeros than "
       "N gain from tiles, updatable=1 keeps a map for new values",
       true, make_mixed_operator<V>, "tiles_from=0"},
      {"csr16", "CSR with columns of 16 bits, relative to those of blocks of up to 512 nonzeros", false,
       make_csr16_operator<V>},
      {"csr-scalar", "CSR, a thread a row", false, make_csr_scalar<V>},
      {"csr-vector", "CSR, several threads a row; threads=2|4|8|16|32, otherwise chosen from nnz/rows", false,
       make_csr_vector<V>, "threads=2|4|8|16|32"},
      {"csr-multiround",
       "CSR, blocks of rows summed in shared memory, no preprocessing; rows=1..512, threads=64|128|256|512, "
       "products=1|2|4|8, group=1|2|4|8|16|32, otherwise chosen from nnz/rows",
       false, make_csr_multiround<V>, "rows=8|64|256,threads=64|128|256|512,products=1|2|4|8,group=1|2|4|8|16|32"},
      {"csr-merge", "CSR, rows and nonzeros balanced by merge path; items=4|8|12 a thread (8)", false,
       make_csr_merge<V>, "items=4|8|12"},
#if TILESPMV_HAS_CUSPARSE
      {"cusparse-csr", "cuSPARSE, CSR; alg=1|2 (2 is reproducible)", false, make_cusparse_csr<V>, "alg=1|2", true},
      {"cusparse-coo", "cuSPARSE, COO; alg=1|2 (2 is reproducible)", false, make_cusparse_coo<V>, "alg=1|2", true},
      {"cusparse-sell", "cuSPARSE, sliced ELL; slice=32", false, make_cusparse_sell<V>, {}, true},
      {"cusparse-bsr", "cuSPARSE, block CSR; block=2|4|8|16, order=row|col within a block", false, make_cusparse_bsr<V>,
       "block=2|4|8|16,order=row|col", true},
#endif
    };
    // Block CSR, the last of them, has no values of 16 bits.
    return std::span(list).first(std::size(list) - (sizeof(V) == 2 ? TILESPMV_HAS_CUSPARSE : 0));
}

template <class V>
const DeviceOperatorInfo<V>& find_device_operator(std::string_view specification) {
    const std::string name = Options("operator", specification).name();
    std::string names;
    for (const auto& info : device_operators<V>()) {
        if (info.name == name) return info;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
    }
    throw Error(fmt::format("unknown operator '{}' for the GPU; there are {}", name, names), ExitCode::usage);
}

template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const DeviceSource<V>& source,
                                                        Accumulator accumulator, cudaStream_t stream) {
    const auto& info = find_device_operator<V>(specification);
    Options options("operator", specification);
    return info.make(source, options, accumulator, stream);
}

#define TILESPMV_INSTANTIATE(V)                                                                                \
    template std::span<const DeviceOperatorInfo<V>> device_operators();                                        \
    template const DeviceOperatorInfo<V>& find_device_operator(std::string_view);                              \
    template std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view, const DeviceSource<V>&, \
                                                                     Accumulator, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
