# Part of install_and_consume.cmake: a program that `generate-solver` writes is built against the installation and solves as `solve` does.
set(generated "${work_dir}/generated")
file(REMOVE_RECURSE "${generated}" "${work_dir}/generated_build")
run(0 "${prefix}/bin/tilespmv" generate-solver "${matrix}" -o "${generated}" --rtol 1e-10)
run(2 "${prefix}/bin/tilespmv" generate-solver "${matrix}" -o "${generated}")  # there are files in it
run(0 "${CMAKE_COMMAND}" -G Ninja -S "${generated}" -B "${work_dir}/generated_build" -D "CMAKE_PREFIX_PATH=${prefix}"
  -D "CMAKE_CXX_COMPILER=${compiler}" -D "CMAKE_CXX_FLAGS=${flags}" -D CMAKE_BUILD_TYPE=${build_type})
run(0 "${CMAKE_COMMAND}" --build "${work_dir}/generated_build")

set(solve "${work_dir}/generated_build/solve")
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
