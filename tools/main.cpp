#include "tools/command.hpp"

int main(int argc, char** argv) { return tilespmv::run_command(argc, argv); }
