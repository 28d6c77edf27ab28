# What each label's tests need, which of them run before all others, and what all
# are given.

# The address sanitizer of gcc before 14 (LLVM's before 17) may take a thread's
# variables, if they begin 16 bytes into a page, for those of an old glibc, which
# lie after their address.  The search for leaks then reads at any address:
# "Tracer caught signal 11 ... LeakSanitizer has encountered a fatal error".
get_property(tests DIRECTORY PROPERTY TESTS)
if(PERFLOG_CHECKS_ADDRESSES)
  set_property(TEST ${tests} APPEND PROPERTY
      ENVIRONMENT "ASAN_OPTIONS=intercept_tls_get_addr=0:handle_sigill=1")
endif()

foreach(name IN LISTS PERFLOG_REPEATING)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS release)
  endif()
endforeach()

# Before them those that measure the machine or count what lives on it.  They
# leave room for one other test, which only computes and is as long as they are
# together: what waits would leave a processor without work.
set(alone churn ends incidents)
set(beside bombs)
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR most "4 * ${processors} - 1") # run-all.sh runs one more at once
foreach(name IN LISTS alone)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 3000 PROCESSORS ${most})
  endif()
endforeach()
foreach(name IN LISTS beside)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 2000)
  endif()
endforeach()

# The target tests_LABEL builds what the tests of a label run, and nothing else:
# their own program, each that their environment names, and the targets in their
# property NEEDS.
foreach(label IN ITEMS unit threads platform release)
  add_custom_target(tests_${label})
  foreach(test IN LISTS tests)
    get_property(labels TEST ${test} PROPERTY LABELS)
    if(NOT label IN_LIST labels)
      continue()
    endif()
    get_property(environment TEST ${test} PROPERTY ENVIRONMENT)
    get_property(targets TEST ${test} PROPERTY NEEDS)
    string(REGEX MATCHALL "TARGET_FILE:[A-Za-z0-9_]+" needs "${environment}")
    list(TRANSFORM needs REPLACE "TARGET_FILE:" "")
    foreach(program IN ITEMS ${test} test_${test} ${needs} ${targets})
      if(TARGET ${program})
        add_dependencies(tests_${label} ${program})
      endif()
    endforeach()
  endforeach()
endforeach()
