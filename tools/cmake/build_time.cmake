# What keeps a build of everything short. A file still includes all that it uses; the preset debug builds each by itself.
option(TILESPMV_COMPILE_TOGETHER "Compile files that share a large header as one" ON)

# tilespmv_precompile(TARGET HEADERS): compiles the headers that most files of a target include once: headers/HEADERS.hpp.
function(tilespmv_precompile target headers)
  target_precompile_headers(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/tools/cmake/headers/${headers}.hpp>)
endfunction()

# tilespmv_compile_together(TARGET GROUP SOURCES...): for files most of whose compile time is code from headers, such as
# CLI11 (15 s a file, 34 s for all commands) and JSON for Modern C++.
function(tilespmv_compile_together target group)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TILESPMV_COMPILE_TOGETHER} UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()
