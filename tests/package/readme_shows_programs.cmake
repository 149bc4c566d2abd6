# Run as a script: the programs in README.md and how they are built are those of CONSUMER_DIR, which the package test builds.
cmake_minimum_required(VERSION 3.25)
file(READ "${README}" readme)

function(require_shown language text name)
  string(FIND "${readme}" "```${language}\n${text}```\n" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${README} does not show ${name} as it is: copy that file into its ```${language} block")
  endif()
endfunction()

foreach(program cpu_product.cpp gpu_product.cpp solve_system.cpp)
  file(READ "${CONSUMER_DIR}/${program}" text)
  require_shown(cpp "${text}" "${CONSUMER_DIR}/${program}")
endforeach()
file(READ "${CONSUMER_DIR}/CMakeLists.txt" text)
string(REGEX REPLACE "\n# README.md shows the lines above.*" "" text "${text}")
require_shown(cmake "${text}" "${CONSUMER_DIR}/CMakeLists.txt")
