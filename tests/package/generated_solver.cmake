# Part of install_and_consume.cmake: a program that `generate-solver` writes is built against the installation and solves as `solve` does.
set(generated "${work_dir}/generated")

# build(FOLDER): the program there, in FOLDER_build.
function(build folder)
  file(REMOVE_RECURSE "${folder}_build")
  run(0 "${CMAKE_COMMAND}" -G Ninja -S "${folder}" -B "${folder}_build" -D "CMAKE_PREFIX_PATH=${prefix}"
    -D "CMAKE_CXX_COMPILER=${compiler}" -D "CMAKE_CXX_FLAGS=${flags}" -D CMAKE_BUILD_TYPE=${build_type})
  run(0 "${CMAKE_COMMAND}" --build "${folder}_build")
endfunction()

file(REMOVE_RECURSE "${generated}" "${generated}_ranks")
run(0 "${prefix}/bin/tilespmv" generate-solver "${matrix}" -o "${generated}" --rtol 1e-10)
run(2 "${prefix}/bin/tilespmv" generate-solver "${matrix}" -o "${generated}")  # there are files in it
build("${generated}")
set(solve "${generated}_build/solve")
run(0 "${solve}" "${matrix}" "${work_dir}/x.mtx")
set(from_program "${output}")
# The same choices, as they stand in the program, for solve to make.
file(READ "${generated}/main.cpp" text)
string(REGEX REPLACE ".*\\.operator_name = \"([^\"]*)\".*\\.preconditioner = \"([^\"]*)\".*" "\\1;\\2" choices "${text}")
list(GET choices 0 operator)
list(GET choices 1 preconditioner)
run(0 "${prefix}/bin/tilespmv" solve "${matrix}" --rtol 1e-10 --operator "${operator}" --precond "${preconditioner}" -o "${work_dir}/expected_x.mtx")
string(REGEX MATCH "converged in [0-9]+ iterations" expected "${output}")
if(expected STREQUAL "" OR NOT from_program MATCHES "^${expected}, ")
  message(FATAL_ERROR "the generated program says\n${from_program}, solve with the same choices '${expected}':\n${output}")
endif()
run(0 "${CMAKE_COMMAND}" -E compare_files "${work_dir}/x.mtx" "${work_dir}/expected_x.mtx")

run(0 "${solve}" "${matrix}" "${work_dir}/again.mtx" "${work_dir}/x.mtx")  # another right-hand side
run(2 "${solve}" "${matrix}")
run(1 "${solve}" "${matrix}" "${work_dir}/again.mtx" "${matrix}")  # no vector

# What it reads is not what it writes, by whatever name.
file(COPY_FILE "${matrix}" "${work_dir}/a.mtx.xz")
file(CREATE_LINK "${work_dir}/a.mtx.xz" "${work_dir}/link.mtx" SYMBOLIC)
foreach(output a.mtx.xz link.mtx ./a.mtx.xz)
  run(2 "${solve}" "${work_dir}/a.mtx.xz" "${work_dir}/${output}")
  run(2 "${solve}" "${matrix}" "${work_dir}/${output}" "${work_dir}/a.mtx.xz")
endforeach()
run(0 "${CMAKE_COMMAND}" -E compare_files "${matrix}" "${work_dir}/a.mtx.xz")

# What does not converge is no success, and one line says why.
foreach(value nan inf)
  string(REPEAT "1\n" 4883 ones)
  file(WRITE "${work_dir}/b.mtx" "%%MatrixMarket matrix array real general\n4884 1\n${value}\n${ones}")
  run(1 "${solve}" "${matrix}" "${work_dir}/again.mtx" "${work_dir}/b.mtx")
  if(NOT output MATCHES "(^|\n)solve: [^\n]*\n$")
    message(FATAL_ERROR "a right-hand side with ${value}: the generated program says\n${output}")
  endif()
endforeach()

# Over ranks: the bits of `solve` over as many.
set(over_ranks --device cpu --gpus 3 --precond block-jacobi:size=2 --rtol 1e-10)
run(0 "${prefix}/bin/tilespmv" generate-solver "${matrix}" -o "${generated}_ranks" ${over_ranks})
build("${generated}_ranks")
run(0 "${generated}_ranks_build/solve" "${matrix}" "${work_dir}/x.mtx")
run(0 "${prefix}/bin/tilespmv" solve "${matrix}" ${over_ranks} -o "${work_dir}/expected_x.mtx")
run(0 "${CMAKE_COMMAND}" -E compare_files "${work_dir}/x.mtx" "${work_dir}/expected_x.mtx")

# For GPUs, with graphs and launch shapes, as golden tests have them: they build everywhere, and say where there is no GPU.
foreach(program solver_program solver_program_ranks)
  file(READ "${CMAKE_CURRENT_LIST_DIR}/../tools/golden/${program}.txt" text)
  string(REGEX REPLACE "\n=====\n.*" "\n" text "${text}")
  file(REMOVE_RECURSE "${generated}_${program}")
  file(WRITE "${generated}_${program}/main.cpp" "${text}")
  file(COPY "${generated}/CMakeLists.txt" DESTINATION "${generated}_${program}")
  build("${generated}_${program}")
endforeach()
run("0|4" "${generated}_solver_program_build/solve" "${matrix}" "${work_dir}/x.mtx")
run("2|4" "${generated}_solver_program_ranks_build/solve" "${matrix}" "${work_dir}/x.mtx")  # its rows are another matrix's
