# cmake -DSOURCE=<root of the project> -DOUTPUT=<header> -P revision.cmake
# Writes the git revision of the sources into a header, which is touched only if the revision has changed.
set(REVISION unknown)
find_package(Git QUIET)
if(Git_FOUND)
  # A prefix means that the repository is somebody else's, with these sources copied into it.
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-prefix --short=12 HEAD
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND answer MATCHES "^\n([0-9a-f]+)\n$")
    set(REVISION ${CMAKE_MATCH_1})
    execute_process(COMMAND ${GIT_EXECUTABLE} status --porcelain --untracked-files=no
      WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changes)
    if(changes)
      string(APPEND REVISION -dirty)
    endif()
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/revision.hpp.in ${OUTPUT} @ONLY)
