# The page of `tilespmv tune --report`.
include(${PROJECT_SOURCE_DIR}/tools/view/embed_page.cmake)
tilespmv_embed_page(tilespmv_tools kReportParts tools/report/report_assets.hpp
  base.js chart.js vectors.js kernel_cards.js products.js choices.js solver.js self_test.js main.js)
