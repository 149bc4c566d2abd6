// The command tilespmv with an operator of one's own, "row-by-row".
#include <tilespmv/tools/command.hpp>

int main(int argc, char** argv) { return tilespmv::run_command(argc, argv); }
