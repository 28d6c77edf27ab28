# pl_soname(OUT NAME HINTS): the name that library NAME has for itself, under
# which a program loads it.
function(pl_soname out name hints)
  find_library(PERFLOG_LIBRARY_${name} ${name} HINTS ${hints} REQUIRED)
  set(file ${PERFLOG_LIBRARY_${name}})
  execute_process(COMMAND ${CMAKE_READELF} -d ${file}
      OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${file} has no name for itself")
  endif()
  set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()
