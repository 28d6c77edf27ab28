# Manual pages: each is a .scd file beside the code it describes.
set(PERFLOG_MANUAL
    perflog.1 perflog-completion.1 logger/perflog-record.1 analyze/perflog-export.1
    analyze/perflog-list.1 analyze/perflog-info.1 analyze/perflog-verify.1
    analyze/perflog-repair.1
    analyze/perflog-report.1
    analyze/perflog-stats.1
    analyze/perflog-cut.1
    analyze/perflog-dump.1
    analyze/perflog-import.1
)
find_program(SCDOC scdoc)
if(PERFLOG_MAN AND SCDOC)
  set(pages)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
  foreach(page IN LISTS PERFLOG_MANUAL)
    cmake_path(GET page FILENAME name)
    cmake_path(GET page EXTENSION LAST_ONLY section)
    string(SUBSTRING ${section} 1 -1 section)
    set(out ${CMAKE_BINARY_DIR}/man/${name})
    set(squeeze)
    if(PERFLOG_GZIP_MAN)
      set(squeeze COMMAND gzip -9nf ${out})
      set(out ${out}.gz)
    endif()
    add_custom_command(OUTPUT ${out}
        COMMAND ${SCDOC} < ${CMAKE_SOURCE_DIR}/${page}.scd
            > ${CMAKE_BINARY_DIR}/man/${name}
        ${squeeze}
        DEPENDS ${CMAKE_SOURCE_DIR}/${page}.scd VERBATIM)
    list(APPEND pages ${out})
    install(FILES ${out} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${pages})
elseif(PERFLOG_MAN)
  message(STATUS "scdoc not found: no manual pages")
endif()
