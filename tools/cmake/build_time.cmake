# What keeps a build of everything short. A file still includes all that it uses; the preset debug builds each by itself.
option(TILESPMV_COMPILE_TOGETHER "Compile the files of a folder as one" ON)

# tilespmv_precompile(TARGET HEADERS): compiles the headers that most files of a target include once: headers/HEADERS.hpp.
function(tilespmv_precompile target headers)
  target_precompile_headers(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/tools/cmake/headers/${headers}.hpp>)
endfunction()

# tilespmv_compile_together(TARGET): the sources of a folder as one, since most of the time that one takes
# goes into templates that its neighbours use, too. What an unnamed namespace holds therefore has a name of its own in its
# folder. Highway compiles a file once for each set of instructions by including it again: such a file stays alone.
function(tilespmv_compile_together target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    file(STRINGS ${source} per_instruction_set REGEX "hwy/foreach_target.h" LIMIT_COUNT 1)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    if(NOT per_instruction_set)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TILESPMV_COMPILE_TOGETHER} UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_AFTER_INCLUDE "#undef TILESPMV_INSTANTIATE")
  if(TILESPMV_COMPILE_TOGETHER)  # GCC takes a source that is included for a header
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# tilespmv_compile_quickly(TARGET): for code that runs for seconds and is compiled for minutes. Under sanitizers (Debug)
# optimising takes as long as all the rest.
function(tilespmv_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:$<IF:$<CONFIG:Debug>,-O0,-O1>>)
endfunction()
