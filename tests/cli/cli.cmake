# Tests of the program as users run it, and of what is installed.

# pl_script(NAME): cli/test_NAME.py, which runs the program as users do.
function(pl_script name)
  pl_return_if_repeating(${name})
  set(python ${PERFLOG_PYTHON})
  if(name STREQUAL "pandas")
    list(REMOVE_ITEM python -S) # a package
  endif()
  add_test(NAME ${name} COMMAND ${python}
      ${CMAKE_CURRENT_SOURCE_DIR}/cli/test_${name}.py)
  set_tests_properties(${name} PROPERTIES
      ENVIRONMENT "PERFLOG=$<TARGET_FILE:perflog>;PERFLOG_DATA=${PERFLOG_SHARED_DATA}"
      SKIP_RETURN_CODE 77 TIMEOUT 1800)
  if(name IN_LIST PERFLOG_READING)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${PERFLOG_IN_MEMORY})
  endif()
endfunction()

# These read logs that they make, and ask nothing of a disk.
set(PERFLOG_READING bombs second_reader names time times dump foreign_blocks folders blg pdh_in import
    import_windows export identity identity_sheets every table parquet push_state top overview
    moment screen diagnose diagnose_clocks calculated types_1992 pdh styles compare stats hosts
    xlsx xlsx_charts xlsx_summary report report_gaps long_logs jobs size cut repair forecast
    sheet_limits questions)

pl_script(bombs)
set_property(TEST bombs APPEND PROPERTY ENVIRONMENT "PEAK=$<TARGET_FILE:peak>")
# Memory is measured without sanitizers only.
set_tests_properties(bombs PROPERTIES
    LABELS release TIMEOUT 1800)
pl_script(second_reader)
pl_script(names)
pl_script(time)
pl_script(times)
set_property(TEST times APPEND PROPERTY ENVIRONMENT
    "PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT}")
pl_script(dump)
pl_script(foreign_blocks)
set_property(TEST dump foreign_blocks APPEND PROPERTY ENVIRONMENT
    "PUT_BLOCKS=$<TARGET_FILE:put_blocks>;SHARED_DATA=${PERFLOG_SHARED_DATA}")
if(TARGET libperflog)
  pl_script(library)
  set_property(TEST library APPEND PROPERTY ENVIRONMENT
      "PERFLOG_BUILD=${CMAKE_BINARY_DIR};PERFLOG_CFLAGS=${CMAKE_C_FLAGS}")
endif()
pl_script(folders)
pl_script(blg)
set_property(TEST blg APPEND PROPERTY ENVIRONMENT
    "PERFLOG_HAS_XLSX=$<BOOL:${XLSXWRITER_FOUND}>")
pl_script(pdh_in)
pl_script(import)
pl_script(import_windows)
set_property(TEST import_windows APPEND PROPERTY ENVIRONMENT
    "SHARED_DATA=${PERFLOG_SHARED_DATA}")
if(PERFLOG_PLATFORM STREQUAL "none")
  pl_script(no_sampler)
  set_tests_properties(no_sampler PROPERTIES LABELS platform)
endif()
if(PERFLOG_PLATFORM STREQUAL "linux")
  pl_script(cli)
  pl_script(outputs)
  pl_script(no_space)
  pl_script(recording)
  pl_script(races)
  pl_script(file_kinds)
  pl_script(region_layout)
  pl_script(processes)
  pl_script(churn)
  set_property(TEST churn APPEND PROPERTY ENVIRONMENT
      "CHURN=$<TARGET_FILE:churn>")
  pl_script(export)
  pl_script(identity)
  pl_script(identity_sheets)
  pl_script(every)
  pl_script(table)
  pl_script(parquet)
  pl_script(push)
  pl_script(push_positions)
  pl_script(push_state)
  pl_script(push_delivery)
  pl_script(push_losses)
  pl_script(push_series)
  pl_script(push_engines)
  pl_script(late_hosts)
  pl_script(unset_clocks)
  pl_script(fleet)
  foreach(name IN ITEMS push push_positions push_state push_delivery push_losses push_series push_engines late_hosts unset_clocks fleet)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
        "PERFLOG_HAS_PUSH=$<BOOL:${PUSH_FOUND}>")
  endforeach()
  pl_script(top)
  pl_script(overview)
  pl_script(moment)
  pl_script(screen)
  set_property(TEST screen APPEND PROPERTY ENVIRONMENT
      "PERFLOG_HAS_REPLAY=$<BOOL:${NCURSESW_FOUND}>")
  pl_script(diagnose)
  pl_script(diagnose_clocks)
  pl_script(calculated)
  pl_script(types_1992)
  pl_script(pdh)
  pl_script(styles)
  pl_script(pandas)
  set_property(TEST pandas APPEND PROPERTY ENVIRONMENT
      "PERFLOG_HAS_XLSX=$<BOOL:${XLSXWRITER_FOUND}>")
  pl_script(compare)
  set_property(TEST compare APPEND PROPERTY ENVIRONMENT
      "PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT}")
  pl_script(stats)
  set_property(TEST stats APPEND PROPERTY ENVIRONMENT "PEAK=$<TARGET_FILE:peak>")
  pl_script(hosts)
  set_property(TEST hosts APPEND PROPERTY ENVIRONMENT
      "MAKE_LOG=$<TARGET_FILE:make_log>;PEAK=$<TARGET_FILE:peak>;PERFLOG_IS_RELEASE=$<CONFIG:Release>;PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT}")
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    # Time and memory, without sanitizers; all else of hosts is of asan.
    add_test(NAME hosts_many COMMAND ${PERFLOG_PYTHON}
        ${CMAKE_CURRENT_SOURCE_DIR}/cli/test_hosts.py Thousand)
    set_tests_properties(hosts_many PROPERTIES
        ENVIRONMENT "PERFLOG=$<TARGET_FILE:perflog>;MAKE_LOG=$<TARGET_FILE:make_log>;PEAK=$<TARGET_FILE:peak>;PERFLOG_IS_RELEASE=1;${PERFLOG_IN_MEMORY}"
        SKIP_RETURN_CODE 77 LABELS release TIMEOUT 1800)
  endif()
  pl_script(xlsx)
  pl_script(xlsx_charts)
  pl_script(xlsx_summary)
  set_property(TEST xlsx xlsx_charts xlsx_summary APPEND PROPERTY ENVIRONMENT
      "PERFLOG_HAS_XLSX=$<BOOL:${XLSXWRITER_FOUND}>")
  pl_script(report)
  pl_script(report_gaps)
  set_property(TEST report report_gaps APPEND PROPERTY ENVIRONMENT
      "PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT}")
  pl_script(long_logs)
  set_property(TEST long_logs APPEND PROPERTY ENVIRONMENT
      "MAKE_LOG=$<TARGET_FILE:make_log>;PERFLOG_HAS_XLSX=$<BOOL:${XLSXWRITER_FOUND}>;PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT}")
  pl_script(jobs)
  set_property(TEST jobs APPEND PROPERTY ENVIRONMENT
      "MAKE_LOG=$<TARGET_FILE:make_log>")
  set_property(TEST jobs APPEND PROPERTY LABELS threads)
  pl_script(size)
  set_property(TEST size APPEND PROPERTY ENVIRONMENT
      "MAKE_LOG=$<TARGET_FILE:make_log>")
  pl_script(ends)
  set_property(TEST ends APPEND PROPERTY ENVIRONMENT
      "STORM=$<TARGET_FILE:storm>;CHURN=$<TARGET_FILE:churn>")
  pl_script(own_io)
  set_property(TEST own_io APPEND PROPERTY ENVIRONMENT
      "CHURN=$<TARGET_FILE:churn>")
  pl_script(identity_ended)
  pl_script(attacks)
  set_property(TEST attacks APPEND PROPERTY ENVIRONMENT
      "WORKER=$<TARGET_FILE:worker>")
  pl_script(attacks_more)
  # Memory and CPU time are compared without sanitizers only, where others publish all the time.
  set_tests_properties(attacks_more PROPERTIES LABELS release)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_test(NAME attacks_shares COMMAND ${PERFLOG_PYTHON}
        ${CMAKE_CURRENT_SOURCE_DIR}/cli/test_attacks.py Shares)
    set_tests_properties(attacks_shares PROPERTIES
        ENVIRONMENT "PERFLOG=$<TARGET_FILE:perflog>;WORKER=$<TARGET_FILE:worker>"
        SKIP_RETURN_CODE 77 LABELS release TIMEOUT 1800 RESOURCE_LOCK name:attacks)
  endif()
  pl_script(packing)
  pl_script(counts_at_end)
  pl_script(names_at_end)
  pl_script(packer)
  set_property(TEST packer APPEND PROPERTY ENVIRONMENT
      "MAKE_LOG=$<TARGET_FILE:make_log>")
  pl_script(repair)
  pl_script(strays)
  pl_script(cut)
  set_property(TEST cut APPEND PROPERTY ENVIRONMENT
      "MAKE_LOG=$<TARGET_FILE:make_log>")
  pl_script(chains)
  set_property(TEST chains APPEND PROPERTY ENVIRONMENT
      "MAKE_LOG=$<TARGET_FILE:make_log>")
  set_tests_properties(chains PROPERTIES LABELS release)
  pl_script(catalogue)
  pl_script(forecast)
  pl_script(completion)
  pl_script(examples)
  set_property(TEST examples APPEND PROPERTY ENVIRONMENT
      "WORKER=$<TARGET_FILE:worker>;PERFLOG_HAS_REPORT=$<BOOL:${PERFLOG_HAS_REPORT}>"
      "PERFLOG_HAS_REPLAY=$<BOOL:${NCURSESW_FOUND}>;PERFLOG_HAS_PUSH=$<BOOL:${PUSH_FOUND}>"
      "PERFLOG_HAS_XLSX=$<BOOL:${XLSXWRITER_FOUND}>")
  pl_script(service)
  set_property(TEST service APPEND PROPERTY ENVIRONMENT
      "PERFLOG_BUILD=${CMAKE_BINARY_DIR};PERFLOG_HAS_PUSH=$<BOOL:${PUSH_FOUND}>")
  pl_script(hwinput)
  set_property(TEST hwinput APPEND PROPERTY ENVIRONMENT
      "HWINPUT=$<TARGET_FILE:hwinput>;WORKER=$<TARGET_FILE:worker>"
      "BUILD=${CMAKE_BINARY_DIR};CFLAGS=${CMAKE_C_FLAGS}")
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    # Sanitizers would change what these measure, or only slow them down.
    add_library(clocks MODULE tools/clocks.c)
    target_link_libraries(clocks PRIVATE pl_flags)
    pl_script(clocks)
    set_property(TEST clocks APPEND PROPERTY ENVIRONMENT
        "CLOCKS_LIB=$<TARGET_FILE:clocks>")
    pl_script(truth)
    pl_script(timing)
    pl_script(incidents)
    set_property(TEST incidents APPEND PROPERTY ENVIRONMENT
        "D_STATE=$<TARGET_FILE:d_state>;FORK_STORM=$<TARGET_FILE:fork_storm>;PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT}")
    pl_script(libreoffice)
    # Other kernels, in virtual machines.
    add_test(NAME kernels COMMAND ${PERFLOG_PYTHON}
        ${CMAKE_CURRENT_SOURCE_DIR}/kernels/run.py --short
        --build ${CMAKE_BINARY_DIR})
    set_tests_properties(kernels PROPERTIES
        LABELS release TIMEOUT 1200 SKIP_RETURN_CODE 77)
    set_property(TEST kernels PROPERTY NEEDS perflog test_linux_ways test_head_count)
    pl_script(package)
    set_property(TEST package PROPERTY NEEDS completion manual libperflog hwinput worker
        perflog_provider_shared perflog_provider_static)
    pl_script(first_run)
    set_property(TEST first_run PROPERTY NEEDS libperflog hwinput
        perflog_provider_shared perflog_provider_static)
    pl_script(hardened)
    set_property(TEST hardened PROPERTY NEEDS libperflog hwinput
        perflog_provider_shared perflog_provider_static)
    set_tests_properties(package first_run hardened PROPERTIES
        LABELS release TIMEOUT 1800)
    set_property(TEST libreoffice APPEND PROPERTY ENVIRONMENT
        "PERFLOG_HAS_XLSX=$<BOOL:${XLSXWRITER_FOUND}>")
    if(XLSXWRITER_FOUND)
      pl_script(sheet_limits) # a million rows
      set_tests_properties(sheet_limits PROPERTIES LABELS release TIMEOUT 1800)
      set_property(TEST sheet_limits APPEND PROPERTY ENVIRONMENT
          "MAKE_LOG=$<TARGET_FILE:make_log>;PEAK=$<TARGET_FILE:peak>")
    endif()
    pl_script(questions)
    set_property(TEST questions APPEND PROPERTY ENVIRONMENT
        "MAKE_LOG=$<TARGET_FILE:make_log>;PEAK=$<TARGET_FILE:peak>;PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT};PERFLOG_HAS_XLSX=$<BOOL:${XLSXWRITER_FOUND}>")
    pl_script(report_page)
    set_property(TEST report_page APPEND PROPERTY ENVIRONMENT
        "PERFLOG_HAS_REPORT=${PERFLOG_HAS_REPORT}")
    set_tests_properties(clocks truth timing incidents libreoffice questions report_page PROPERTIES
        LABELS release)
  endif()
endif()
