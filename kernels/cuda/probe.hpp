#pragma once

namespace tilespmv::cuda {

/// A kernel that does nothing, as the runtime takes it: what is known of it tells whether this build has code for the
/// current GPU.
const void* probe_kernel();

}  // namespace tilespmv::cuda
