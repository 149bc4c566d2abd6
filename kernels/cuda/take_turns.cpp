#include "kernels/cuda/take_turns.hpp"

namespace tilespmv::cuda {

TakeTurns read_turns(Options& options) {
    const auto turns = options.whole("turns", -1, 0, 1);
    return turns < 0 ? TakeTurns::if_it_pays : (turns == 0 ? TakeTurns::no : TakeTurns::yes);
}

}  // namespace tilespmv::cuda
