# tilespmv_embed_page(TARGET NAME HEADER SCRIPTS...): the page in the folder `page` beside the file that calls this becomes
# a part of the target, and again when it changes: a constant NAME, which HEADER declares.
function(tilespmv_embed_page target name header)
  set(folder ${CMAKE_CURRENT_LIST_DIR}/page)
  set(parts page.html style.css ${ARGN})
  list(TRANSFORM parts PREPEND ${folder}/)
  set(embed ${PROJECT_SOURCE_DIR}/tools/view/embed.cmake)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D PAGE=${folder} -D NAME=${name} -D HEADER=${header} -D "SCRIPTS=${ARGN}" -D OUTPUT=${output}
      -P ${embed}
    DEPENDS ${parts} ${embed}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
