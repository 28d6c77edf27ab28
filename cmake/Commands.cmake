# Of commands.txt: the table of commands in perflog.c, as a header, and their
# manual pages (PERFLOG_COMMAND_PAGES).
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/commands.txt rows REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/commands.txt)
set(declarations "")
set(entries "")
set(PERFLOG_COMMAND_PAGES "")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^([a-z]+) +([a-z/.]+)$" matched "${row}")
  if(NOT matched)
    message(FATAL_ERROR "cmake/commands.txt: not a name and a folder: ${row}")
  endif()
  string(APPEND declarations "extern const struct pl_command pl_cmd_${CMAKE_MATCH_1};\n")
  string(APPEND entries "    &pl_cmd_${CMAKE_MATCH_1},\n")
  list(APPEND PERFLOG_COMMAND_PAGES ${CMAKE_MATCH_2}/perflog-${CMAKE_MATCH_1}.1)
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/commands.h @ONLY CONTENT
"/* Made of cmake/commands.txt by cmake/Commands.cmake. */
#include \"format/cli/options.h\"

@declarations@
static const struct pl_command *const commands[] = {
@entries@};
")
target_include_directories(perflog PRIVATE ${CMAKE_BINARY_DIR}/generated)
