# tilespmv_room(NAME SOURCES... [PUBLIC_HEADERS...] [DEPENDS targets...] [PRIVATE_DEPENDS targets...])
# One library a room, tilespmv::NAME. Within the project headers are included relative to its root. Users have the public
# ones as <tilespmv/ROOM/...> (install.cmake).
function(tilespmv_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC_HEADERS;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(tilespmv_${name} STATIC ${ARG_SOURCES})
  add_library(tilespmv::${name} ALIAS tilespmv_${name})
  set_target_properties(tilespmv_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
  target_compile_features(tilespmv_${name} PUBLIC cxx_std_20)
  target_include_directories(tilespmv_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM ARG_PUBLIC_HEADERS PREPEND ${name}/)
  set_property(GLOBAL APPEND PROPERTY TILESPMV_PUBLIC_HEADERS ${ARG_PUBLIC_HEADERS})
  target_link_libraries(tilespmv_${name}
    PUBLIC ${ARG_DEPENDS}
    PRIVATE ${ARG_PRIVATE_DEPENDS} $<BUILD_INTERFACE:tilespmv_warnings>)
  tilespmv_precompile(tilespmv_${name} standard)
  tilespmv_compile_together(tilespmv_${name})
endfunction()

add_library(tilespmv_warnings INTERFACE)
target_compile_options(tilespmv_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${TILESPMV_WERROR}>:-Werror>>)
