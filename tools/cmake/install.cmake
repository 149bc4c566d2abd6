# `cmake --install`: the public headers under include/tilespmv/<room>/, one static library a room, the command, and a
# CMake package that `find_package(tilespmv)` finds.
include(CMakePackageConfigHelpers)
set(tilespmv_rooms tile formats selector kernels)
set(tilespmv_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tilespmv")

list(TRANSFORM tilespmv_rooms PREPEND tilespmv_ OUTPUT_VARIABLE tilespmv_libraries)
install(TARGETS tilespmv ${tilespmv_libraries} EXPORT tilespmv)
if(TILESPMV_BUILD_TOOLS)  # the command as a program and, with what it needs more, as a component of the package
  install(TARGETS tilespmv_cli RUNTIME)
  install(TARGETS tilespmv_tools tilespmv_view tilespmv_harness EXPORT tilespmv-command)
  install(EXPORT tilespmv-command NAMESPACE tilespmv:: DESTINATION "${tilespmv_package_dir}")
endif()

get_property(tilespmv_headers GLOBAL PROPERTY TILESPMV_PUBLIC_HEADERS)
list(LENGTH tilespmv_headers tilespmv_header_count)
if(tilespmv_header_count GREATER 30)
  message(FATAL_ERROR "${tilespmv_header_count} public headers, expected at most 30: keep private what users do not call")
endif()
set(tilespmv_include "${CMAKE_CURRENT_BINARY_DIR}/include")
list(TRANSFORM tilespmv_headers PREPEND "${tilespmv_include}/tilespmv/" OUTPUT_VARIABLE tilespmv_copies)
add_custom_command(
  OUTPUT ${tilespmv_copies}
  COMMAND ${CMAKE_COMMAND} "-DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}" "-DOUTPUT=${tilespmv_include}"
    "-DHEADERS=${tilespmv_headers}" -P "${CMAKE_CURRENT_SOURCE_DIR}/tools/cmake/public_headers.cmake"
  DEPENDS ${tilespmv_headers} tools/cmake/public_headers.cmake
  COMMENT "Writing the public headers"
  VERBATIM)
add_custom_target(tilespmv_public_headers ALL DEPENDS ${tilespmv_copies})
# A project that takes this one in with add_subdirectory includes them in the same way.
target_include_directories(tilespmv INTERFACE $<BUILD_INTERFACE:${tilespmv_include}>)
add_dependencies(tilespmv tilespmv_public_headers)
foreach(header IN LISTS tilespmv_headers)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${tilespmv_include}/tilespmv/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tilespmv/${folder}")
endforeach()

install(EXPORT tilespmv NAMESPACE tilespmv:: DESTINATION "${tilespmv_package_dir}" FILE tilespmv-targets.cmake)
configure_package_config_file(tools/cmake/tilespmv-config.cmake.in tilespmv-config.cmake
  INSTALL_DESTINATION "${tilespmv_package_dir}")
write_basic_package_version_file(tilespmv-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/tilespmv-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/tilespmv-config-version.cmake"
  tools/cmake/Findhwy.cmake
  tools/cmake/FindxxHash.cmake
  DESTINATION "${tilespmv_package_dir}")
