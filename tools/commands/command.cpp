#include "tools/commands/command.hpp"

namespace tilespmv::tools {

void add_commands(CLI::App& app) {
    add_convert(app);
    add_stats(app);
    add_view(app);
    add_spmv(app);
    add_solve(app);
    add_explain(app);
    add_verify(app);
    add_generate(app);
    add_bench(app);
    add_info(app);
}

}  // namespace tilespmv::tools
