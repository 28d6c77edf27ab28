# The reliability harness: what a commit runs of it.  In full, see all.sh.

# pl_crash(NAME): tests/crash/NAME.c, which is run without arguments.
add_library(pl_crash STATIC crash/args.c crash/source.c)
target_link_libraries(pl_crash PUBLIC pl_test_support)
function(pl_crash name)
  pl_return_if_repeating(crash_${name})
  add_executable(crash_${name} crash/${name}.c)
  target_link_libraries(crash_${name} PRIVATE pl_crash)
  add_test(NAME crash_${name} COMMAND crash_${name})
  set_tests_properties(crash_${name} PROPERTIES LABELS crash TIMEOUT 1800)
endfunction()

pl_crash(kill)
if(PERFLOG_PLATFORM STREQUAL "linux") # elsewhere it is the same code again
  pl_crash(damage)
  pl_crash(beside)
  pl_crash(power)
  target_link_options(crash_power PRIVATE
      LINKER:--wrap=write,--wrap=ftruncate64,--wrap=fdatasync)
  target_link_options(crash_beside PRIVATE
      LINKER:--wrap=write,--wrap=fdatasync)
endif()

# What needs the program itself, and its calls: not under sanitizers.
if(PERFLOG_PLATFORM STREQUAL "linux" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_library(crash_preload MODULE crash/preload.c)
  target_link_libraries(crash_preload PRIVATE pl_flags)
  foreach(script calls memory full_disk readers race)
    add_test(NAME crash_${script} COMMAND ${PERFLOG_PYTHON}
        ${CMAKE_CURRENT_SOURCE_DIR}/crash/${script}.py)
    set_tests_properties(crash_${script} PROPERTIES
        ENVIRONMENT "PERFLOG=$<TARGET_FILE:perflog>;PERFLOG_PRELOAD=$<TARGET_FILE:crash_preload>"
        SKIP_RETURN_CODE 77 LABELS release TIMEOUT 1800)
  endforeach()
  add_test(NAME recording_traced COMMAND ${PERFLOG_PYTHON}
      ${CMAKE_CURRENT_SOURCE_DIR}/cli/test_recording.py Syncing Losing)
  set_tests_properties(recording_traced PROPERTIES
      ENVIRONMENT "PERFLOG=$<TARGET_FILE:perflog>" LABELS release TIMEOUT 1800)
endif()

if(PERFLOG_PLATFORM STREQUAL "linux")
  # Ten thousand: build/release/tests/provider_kill 10000
  add_executable(provider_kill crash/provider_kill.c)
  target_link_libraries(provider_kill PRIVATE pl_test_publishing pl_logger_all)
  add_test(NAME provider_kill COMMAND provider_kill 200)
endif()
