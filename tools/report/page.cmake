# The page of `tilespmv tune --report`: its parts become C++ again when they change.
set(scripts base.js chart.js vectors.js kernel_cards.js products.js choices.js solver.js self_test.js main.js)
set(parts page.html style.css ${scripts})
list(TRANSFORM parts PREPEND ${CMAKE_CURRENT_LIST_DIR}/page/)
set(assets ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cpp)
add_custom_command(
  OUTPUT ${assets}
  COMMAND ${CMAKE_COMMAND} -D PAGE=${CMAKE_CURRENT_LIST_DIR}/page -D "SCRIPTS=${scripts}" -D OUTPUT=${assets}
    -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${parts} ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  VERBATIM)
target_sources(tilespmv_tools PRIVATE ${assets})
