#pragma once

// CLI11 has no header of declarations, and a file that includes its own takes 15 s to compile.
namespace CLI {
class App;
class Option;
}  // namespace CLI
