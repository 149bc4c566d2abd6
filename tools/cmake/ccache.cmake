# Compiles through ccache if it is there and no other launcher was asked for.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TILESPMV_CCACHE ccache)
  mark_as_advanced(TILESPMV_CCACHE)
  if(TILESPMV_CCACHE)
    # Without these it does not cache what includes precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${TILESPMV_CCACHE}")
  endif()
endif()
