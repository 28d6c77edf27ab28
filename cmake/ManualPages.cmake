# Manual pages: each is a .scd file beside the code it describes.
set(PERFLOG_MANUAL
    perflog.1
    ${PERFLOG_COMMAND_PAGES}
    analyze/push/perflog-fleet.7
    analyze/foreign/perflog-windows.7
    logger/provider/perflog-provider.7
    perflog.7
    format/plog.5
)
find_program(SCDOC scdoc)
# The page of the log format is made from its description.
set(plog ${CMAKE_SOURCE_DIR}/format/FORMAT.md)
set(as_manual awk -f ${CMAKE_SOURCE_DIR}/cmake/manual-of-format.awk)
if(PERFLOG_MAN AND SCDOC)
  set(pages)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
  foreach(page IN LISTS PERFLOG_MANUAL)
    cmake_path(GET page FILENAME name)
    cmake_path(GET page EXTENSION LAST_ONLY section)
    string(SUBSTRING ${section} 1 -1 section)
    set(out ${CMAKE_BINARY_DIR}/man/${name})
    set(from ${CMAKE_SOURCE_DIR}/${page}.scd)
    set(read cat ${from})
    if(name STREQUAL "plog.5")
      set(from ${plog} ${CMAKE_SOURCE_DIR}/cmake/manual-of-format.awk)
      set(read ${as_manual} ${plog})
    endif()
    set(squeeze)
    if(PERFLOG_GZIP_MAN)
      set(squeeze COMMAND gzip -9nf ${out})
      set(out ${out}.gz)
    endif()
    add_custom_command(OUTPUT ${out}
        COMMAND ${read} | ${SCDOC} > ${CMAKE_BINARY_DIR}/man/${name}
        ${squeeze}
        DEPENDS ${from} VERBATIM)
    list(APPEND pages ${out})
    install(FILES ${out} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${pages})
elseif(PERFLOG_MAN)
  message(STATUS "scdoc not found: no manual pages")
endif()
