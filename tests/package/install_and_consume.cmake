set(prefix "${work_dir}/prefix")
file(REMOVE_RECURSE "${prefix}" "${work_dir}/consumer")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${build_dir}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -G Ninja -S "${consumer_dir}" -B "${work_dir}/consumer" -D "CMAKE_PREFIX_PATH=${prefix}"
  -D "CMAKE_CXX_COMPILER=${compiler}" -D "CMAKE_CXX_FLAGS=${flags}" -D CMAKE_BUILD_TYPE=${build_type}
  -D tilespmv_expected_version=${version})
run("${CMAKE_COMMAND}" --build "${work_dir}/consumer")
run("${work_dir}/consumer/consumer")
if(has_command)
  run("${prefix}/bin/tilespmv" info)
endif()
