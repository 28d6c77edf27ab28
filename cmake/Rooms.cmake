# A static library for each room of rooms.txt: pl_ and its folder, slashes made
# underscores, of all its sources.  It is linked with the rooms it sees and no
# other.  A folder of another platform makes none; a file whose name ends in
# that of another system belongs to that system.
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/rooms.txt rows REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/rooms.txt)
set(other_systems posix windows)
list(REMOVE_ITEM other_systems ${PERFLOG_SYSTEM})

# A screen, or a message instead of it (PERFLOG_REPLAY).
set(without_screen no_screen)
if(NOT NCURSESW_FOUND)
  set(without_screen screen_posix)
endif()

# Workbooks, or a message instead of them (PERFLOG_XLSX).
set(without_workbooks "no_workbook\\.c$")
if(NOT PERFLOG_XLSX OR NOT XLSXWRITER_FOUND)
  set(without_workbooks "([^n]|n[^o])")
endif()

# What a switch chooses is added where the switch is, and the provider's library
# (cmake/Provider.cmake) stands alone: applications link it.
string(CONCAT chosen
    "^analyze/workbook/${without_workbooks}|"
    "^analyze/push/(no_sender|sender_posix)\\.c$|"
    "^analyze/screen/${without_screen}\\.c$|"
    "^analyze/report/no_assets\\.c$|^logger/linux/processes/bpf/|^logger/provider/|^logger/windows/dll/collect\\.c$")

function(pl_room folder)
  string(REPLACE "/" "_" name pl_${folder})
  list(TRANSFORM ARGN REPLACE "/" "_" OUTPUT_VARIABLE sees)
  list(TRANSFORM sees PREPEND pl_)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
      ${folder}/*.c ${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_${other_systems}\\.c$")
  list(FILTER sources EXCLUDE REGEX "${chosen}")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC pl_flags ${sees})
    # The sources of a room as one, where no name of it has two meanings: in half
    # of the time.
    if(PERFLOG_ROOMS_AT_ONCE AND NOT folder MATCHES "^logger/|^analyze/commands$")
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE pl_flags ${sees})
  endif()
  set_property(GLOBAL APPEND PROPERTY PERFLOG_ROOMS ${name})
endfunction()

# A fuzz target compiles it once more, in a way of its own.
set_source_files_properties(format/record/record.c PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

foreach(row IN LISTS rows)
  string(REGEX REPLACE " +" ";" row "${row}")
  list(GET row 0 folder)
  if(NOT folder MATCHES "^logger/(linux|windows|none)" OR
      folder MATCHES "^logger/${PERFLOG_PLATFORM}($|/)")
    pl_room(${row})
  endif()
endforeach()
