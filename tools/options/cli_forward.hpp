#pragma once

// CLI11 has no header of declarations, and its own is half a megabyte of code.
namespace CLI {
class App;
class Option;
}  // namespace CLI
