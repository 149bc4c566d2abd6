#pragma once

namespace tilespmv::multi_gpu {

/// What GPUs store into each other's memory: 32 bits of a value below, the number of the message above, as in NCCL's
/// protocol for low latency, so that no word needs a fence or is taken for one of an earlier message.
using Word = unsigned long long;

}  // namespace tilespmv::multi_gpu
