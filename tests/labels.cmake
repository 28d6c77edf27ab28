# What each label's tests need, and which of them run before all others.

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
get_property(tests DIRECTORY PROPERTY TESTS)
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
