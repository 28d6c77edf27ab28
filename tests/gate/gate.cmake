# Tests of the tree itself: its walls, its style, and that the seeded bugs have
# their places.
get_property(rooms GLOBAL PROPERTY PERFLOG_ROOMS)
set(libraries)
foreach(room IN LISTS rooms)
  get_target_property(kind ${room} TYPE)
  if(NOT kind STREQUAL "INTERFACE_LIBRARY")
    list(APPEND libraries $<TARGET_FILE:${room}>)
  endif()
endforeach()
list(JOIN libraries ":" libraries)
add_test(NAME walls COMMAND ${PERFLOG_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/gate/test_walls.py)
set_tests_properties(walls PROPERTIES LABELS "unit;platform"
    ENVIRONMENT "PERFLOG=$<TARGET_FILE:perflog>;PERFLOG_LIBS=${libraries}" SKIP_RETURN_CODE 77)
add_test(NAME mutants COMMAND ${PERFLOG_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/gate/mutants.py --apply-only)
set_tests_properties(mutants PROPERTIES LABELS unit)
add_test(NAME definitions COMMAND ${PERFLOG_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/gate/test_definitions.py)
set_tests_properties(definitions PROPERTIES LABELS unit
    ENVIRONMENT "PERFLOG=$<TARGET_FILE:perflog>")
add_test(NAME style COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/gate/test_style.py)
set_tests_properties(style PROPERTIES
    ENVIRONMENT "PERFLOG_BUILD=${CMAKE_BINARY_DIR}" TIMEOUT 1800)
