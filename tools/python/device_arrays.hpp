#pragma once

#include <nanobind/nanobind.h>

namespace tilespmv::bindings {

/// Adds what makes matrices of arrays in the memory of a GPU: `from_device_csr`, `Assembly`, `update_device_values`.
void add_device_arrays(nanobind::module_& m);

}  // namespace tilespmv::bindings
