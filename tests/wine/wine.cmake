# Tests of the whole program as Windows runs it, by Wine.
set(PERFLOG_NATIVE ${CMAKE_SOURCE_DIR}/build/release/perflog CACHE FILEPATH
    "perflog of this system, to compare what perflog.exe writes with")
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/perflog.sh
    CONTENT "#!/bin/sh\nexec ${emulator} '$<TARGET_FILE:perflog>' \"$@\"\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# pl_wine_script(NAME): tests/wine/test_NAME.py.  Python is no target here: as
# one it would be run by Wine, which does not say how it ended.
function(pl_wine_script name)
  add_test(NAME wine_${name} COMMAND ${PERFLOG_PYTHON}
      ${CMAKE_CURRENT_SOURCE_DIR}/wine/test_${name}.py)
  set_tests_properties(wine_${name} PROPERTIES
      ENVIRONMENT "PERFLOG=${CMAKE_BINARY_DIR}/perflog.sh;PERFLOG_EXE=$<TARGET_FILE:perflog>;PERFLOG_NATIVE=${PERFLOG_NATIVE};SHARED_DATA=${PERFLOG_SHARED_DATA};WINE_RUN=${CMAKE_CURRENT_SOURCE_DIR}/wine/run.sh;WINEPREFIX=${CMAKE_BINARY_DIR}/wineprefix"
      SKIP_RETURN_CODE 77 TIMEOUT 1800)
endfunction()

pl_wine_script(same)
pl_wine_script(files)

# The provider whose data is recorded; only tests have it.
add_library(test_provider SHARED wine/provider.c)
set_target_properties(test_provider PROPERTIES PREFIX "")
target_link_libraries(test_provider PRIVATE pl_flags)
target_link_options(test_provider PRIVATE -static)
pl_wine_script(record)
set_property(TEST wine_record APPEND PROPERTY ENVIRONMENT
    "TEST_PROVIDER=$<TARGET_FILE:test_provider>")

# Applications that publish counters, and what stands between Wine and them.
add_library(between MODULE wine/between.c)
set_target_properties(between PROPERTIES PREFIX "")
target_link_libraries(between PRIVATE pl_flags)
target_link_options(between PRIVATE -static)
add_executable(publisher wine/publisher.c)
target_link_libraries(publisher PRIVATE perflog_provider_static)
add_executable(press wine/press.c)
target_link_libraries(press PRIVATE pl_flags)
pl_wine_script(provider)
pl_wine_script(regions)
set_property(TEST wine_provider wine_regions APPEND PROPERTY ENVIRONMENT
    "PUBLISHER=$<TARGET_FILE:publisher>" "HWINPUT=$<TARGET_FILE:hwinput>"
    "WORKER=$<TARGET_FILE:worker>" "BETWEEN=$<TARGET_FILE:between>"
    "LIBRARY=$<TARGET_FILE:perflog_provider>" "PRESS=$<TARGET_FILE:press>")

pl_test(logger/windows/windows_clocks)
target_link_options(test_windows_clocks PRIVATE
    LINKER:--wrap=pl_clock_utc,--wrap=pl_clock_boot)

pl_test(logger/windows/windows_published perflog_provider_static)

# The library's own functions, and the library.
pl_test(logger/windows/windows_dll perflog_provider_static pl_logger_windows_dll)
target_compile_definitions(test_windows_dll PRIVATE
    PL_PROVIDER_DLL="Z:$<TARGET_FILE:perflog_provider>")

# All tell one registry of providers, or tell what is in none.
set_tests_properties(wine_record wine_provider wine_regions windows_dll PROPERTIES RESOURCE_LOCK registry)
