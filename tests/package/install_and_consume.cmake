set(prefix "${work_dir}/prefix")
file(REMOVE_RECURSE "${prefix}" "${work_dir}/consumer")

# run(EXIT_CODES COMMAND...): fails unless the command ends with one of these exit codes, such as "0" or "0|4"; what it
# printed is in `output`.
function(run exit_codes)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status MATCHES "^(${exit_codes})$")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(0 "${CMAKE_COMMAND}" --install "${build_dir}" --prefix "${prefix}")
run(0 "${CMAKE_COMMAND}" -G Ninja -S "${consumer_dir}" -B "${work_dir}/consumer" -D "CMAKE_PREFIX_PATH=${prefix}"
  -D "CMAKE_CXX_COMPILER=${compiler}" -D "CMAKE_CXX_FLAGS=${flags}" -D CMAKE_BUILD_TYPE=${build_type}
  -D tilespmv_expected_version=${version})
run(0 "${CMAKE_COMMAND}" --build "${work_dir}/consumer")
run(0 "${work_dir}/consumer/cpu_product")
if(NOT output STREQUAL "0 -1 6\n")
  message(FATAL_ERROR "cpu_product says\n${output}")
endif()
run(0 "${work_dir}/consumer/tile_product")
run(0 "${work_dir}/consumer/solve_system" "${matrix}")
if(NOT output MATCHES "preconditioner: [a-z].*, .* tried .*\nconverged in ")
  message(FATAL_ERROR "solve_system says\n${output}")
endif()
if(EXISTS "${work_dir}/consumer/gpu_product")
  run("0|4" "${work_dir}/consumer/gpu_product" "${matrix}")  # 4: this machine has no GPU
endif()
if(has_command)
  run(0 "${prefix}/bin/tilespmv" info)
  # The command with an operator of one's own, which is verified, measured, tuned, explained and tried.
  set(own "${work_dir}/consumer/my_tilespmv")
  set(file_of_cache "${work_dir}/consumer/trial.json")
  foreach(arguments "verify;gen:laplace2d:n=30;--operator;row-by-row" "bench;gen:laplace2d:n=30;--quick;--operator;row-by-row"
      "tune;--set;tiny;--only;row-by-row;-o;${work_dir}/consumer/profile.json"
      "explain;gen:laplace2d:n=30;--profile;${work_dir}/consumer/profile.json"
      "spmv;gen:laplace2d:n=30;--tune;trial;--tune-cache;${file_of_cache}")
    run(0 "${CMAKE_COMMAND}" -E env OMP_WAIT_POLICY=passive "${own}" ${arguments} --device cpu --threads 1)
    list(GET arguments 0 command)
    if(command STREQUAL "spmv")
      file(READ "${file_of_cache}" output)
    elseif(command STREQUAL "tune")
      file(READ "${work_dir}/consumer/profile.json" output)
    endif()
    if(NOT output MATCHES "row-by-row")
      message(FATAL_ERROR "${own} ${arguments} says nothing of row-by-row:\n${output}")
    endif()
  endforeach()
  include("${CMAKE_CURRENT_LIST_DIR}/generated_solver.cmake")
endif()
