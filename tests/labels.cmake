# What each label's tests need, and in which order tests run.

# The longest first, whether they compute or wait, so that none of them is left
# to run alone at the end: about how many seconds each takes in a whole run.
set(seconds
    attacks 110   first_run 100   truth 90      jobs 90          kernels 80
    package 70    attacks_more 60 style 50      libreoffice 50   sheet_limits 50
    report_page 50   hardened 40  cli 30        recording 30     repair 30
    cut 30        strays 30       own_io 30     long_logs 30     import 30
    damage 30     races 30        crash_kill 30 crash_calls 30   completion 30
    examples 30   fleet 30        hosts 30      push_engines 30  questions 30
    crash_full_disk 20   timing 20)
while(seconds)
  list(POP_FRONT seconds name cost)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endwhile()

foreach(name IN LISTS PERFLOG_REPEATING)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS release)
  endif()
endforeach()

# Before them those that measure the machine or count what lives on it.  They
# leave room for one other test, of those that only compute: these are long
# enough to be beside them all.
set(alone churn ends incidents)
set(beside bombs crash_memory crash_readers faults frame)
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
