// As standard.hpp, for tests.
#include "tools/cmake/headers/standard.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
