#include "tests/fuzz/json_shown.hpp"

namespace tilespmv::test {

void show_choice(const OperatorQuestion&, const std::vector<RankedOperator>&, const std::vector<RankedOperator>&) {}
void show(const Profile&) {}
void show(const bench::ResultSet&) {}

}  // namespace tilespmv::test
