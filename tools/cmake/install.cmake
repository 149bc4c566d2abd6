# `cmake --install`: headers under include/tilespmv/<room>/, one static library a room, the command, and a CMake package
# that `find_package(tilespmv)` finds.
include(CMakePackageConfigHelpers)
set(tilespmv_rooms tile formats selector kernels)
set(tilespmv_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tilespmv")

list(TRANSFORM tilespmv_rooms PREPEND tilespmv_ OUTPUT_VARIABLE tilespmv_libraries)
install(TARGETS tilespmv ${tilespmv_libraries} EXPORT tilespmv)
install(TARGETS tilespmv_cli RUNTIME)
install(DIRECTORY ${tilespmv_rooms} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tilespmv" FILES_MATCHING PATTERN "*.hpp")

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
