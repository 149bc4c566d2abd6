#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tile/csr.hpp"
#include "tile/error.hpp"
#include "tile/types.hpp"
#include "tools/bindings/matrix.hpp"
#include "tools/c/tilespmv.h"

/// Arrays that a caller of the C interface describes, checked and on the host. All throw a usage `Error` for what is
/// wrong with them.
namespace tilespmv::c {

Error usage(const std::string& message);
void require(const void* pointer, const char* name);
std::size_t bytes_of(tilespmv_type type);
std::string_view name_of(tilespmv_type type);

/// CSR arrays on the host, with what owns them.
struct HostCsr {
    Buffer<std::int64_t> row_ptrs;
    Buffer<index_t> cols;
    Buffer<std::byte> values;
};

/// Borrowed or copied, as the description says; an index that does not fit becomes -1, which is no index.
HostCsr csr_on_host(const tilespmv_arrays& csr);
/// Entries of COO as CSR; those of one place are added up in the order in which they come.
HostCsr coo_on_host(const tilespmv_arrays& coo);
/// Whether CSR arrays are multiplied on the GPU without a copy on the host.
bool stays_on_gpu(const tilespmv_arrays& csr);
/// Those that are, borrowed or copied there.
bindings::CsrArrays csr_on_gpu(const tilespmv_arrays& csr);
/// Entries of COO on the GPU as CSR there; those of one place are added up in the order in which they come.
bindings::CsrArrays coo_on_gpu(const tilespmv_arrays& coo);

}  // namespace tilespmv::c
