#pragma once

namespace tilespmv::tools {

/// Makes signals that end the process (SIGINT, SIGTERM, SIGHUP, ...) remove its temporary files first, and a bus error
/// in a mapped file one line on stderr and exit code 1. What was ignored before stays ignored.
void install_signal_handlers();

}  // namespace tilespmv::tools
