# Links libarchive statically where that is possible. Its shared library needs libxml2, and that ICU, together 35 MB, for
# formats of archives that are never read here; what compresses and decompresses stays shared.
find_library(STATIC_LIBARCHIVE libarchive.a)
mark_as_advanced(STATIC_LIBARCHIVE)
set(libraries)
foreach(names IN ITEMS "z" "bz2;libbz2.so.1.0" "lzma;liblzma.so.5" "zstd;libzstd.so.1" "lz4;liblz4.so.1")
  list(GET names 0 name)
  find_library(NEEDED_BY_LIBARCHIVE_${name} NAMES ${names})
  mark_as_advanced(NEEDED_BY_LIBARCHIVE_${name})
  list(APPEND libraries "${NEEDED_BY_LIBARCHIVE_${name}}")
endforeach()
if(STATIC_LIBARCHIVE AND NOT libraries MATCHES "NOTFOUND")
  set_target_properties(LibArchive::LibArchive PROPERTIES IMPORTED_LOCATION "${STATIC_LIBARCHIVE}"
    INTERFACE_LINK_LIBRARIES "${libraries}")
endif()
