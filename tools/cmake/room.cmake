# tilespmv_room(NAME SOURCES... [DEPENDS targets...] [PRIVATE_DEPENDS targets...])
# One library a room, tilespmv::NAME. Headers are included relative to the root of the project.
function(tilespmv_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(tilespmv_${name} STATIC ${ARG_SOURCES})
  add_library(tilespmv::${name} ALIAS tilespmv_${name})
  set_target_properties(tilespmv_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
  target_compile_features(tilespmv_${name} PUBLIC cxx_std_20)
  target_include_directories(tilespmv_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tilespmv>)
  target_link_libraries(tilespmv_${name}
    PUBLIC ${ARG_DEPENDS}
    PRIVATE ${ARG_PRIVATE_DEPENDS} $<BUILD_INTERFACE:tilespmv_warnings>)
endfunction()

add_library(tilespmv_warnings INTERFACE)
target_compile_options(tilespmv_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${TILESPMV_WERROR}>:-Werror>>)
