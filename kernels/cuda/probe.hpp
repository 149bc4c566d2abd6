#pragma once

namespace tilespmv::cuda {

/// A kernel that does nothing, as the runtime takes it: what is known of it tells whether this build has code for the
/// current GPU.
const void* probe_kernel();

/// The compute capability that the code of this build on the current GPU was compiled for, 80 for 8.0: what it may use.
/// Below that of the GPU, if the build has no code for it and the driver compiles that of an older one; all kernels are
/// built for the same. Throws `Error` if there is none.
int compiled_for();

}  // namespace tilespmv::cuda
