# Run as a script: writes OUTPUT, C++ that defines NAME, of the type PageParts and declared in HEADER, with the parts of the
# page in the folder PAGE. SCRIPTS: its JavaScript, in order.
cmake_minimum_required(VERSION 3.25)

function(literal variable)
  set(code "")
  foreach(file IN LISTS ARGN)
    file(READ "${PAGE}/${file}" text)
    string(FIND "${text}" ")page\"" end)
    if(NOT end EQUAL -1)
      message(FATAL_ERROR "${file} contains the end of a raw literal, )page\"")
    endif()
    string(APPEND code "    R\"page(${text})page\"\n")
  endforeach()
  set(${variable} "${code}" PARENT_SCOPE)
endfunction()

literal(html page.html)
literal(css style.css)
literal(script ${SCRIPTS})
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n\nnamespace tilespmv::tools {\nconst PageParts ${NAME}{\n${html},\n${css},\n${script}};\n}  // namespace tilespmv::tools\n")
