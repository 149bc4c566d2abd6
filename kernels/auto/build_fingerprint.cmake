# cmake -DSOURCE=<root of the project> -DOUTPUT=<header> -P build_fingerprint.cmake
# Writes a fingerprint of the sources of the library into a header, which is touched only if it has changed.
file(GLOB_RECURSE sources LIST_DIRECTORIES false RELATIVE ${SOURCE}
  ${SOURCE}/tile/*.[ch]pp ${SOURCE}/formats/*.[ch]pp ${SOURCE}/selector/*.[ch]pp ${SOURCE}/kernels/*.[ch]pp
  ${SOURCE}/kernels/*.cu ${SOURCE}/kernels/*.cuh)
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${SOURCE}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 FINGERPRINT "${all}")
string(SUBSTRING ${FINGERPRINT} 0 12 FINGERPRINT)
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_fingerprint.hpp.in ${OUTPUT} @ONLY)
