if(NOT PERFLOG_XLSX OR NOT XLSXWRITER_FOUND)
  return()
endif()

# Workbooks: libxlsxwriter is loaded when one is made, under the name that the
# library here has for itself; zlib is linked.  On Windows both are.
if(WIN32)
  target_link_libraries(pl_analyze_workbook
      PRIVATE PkgConfig::XLSXWRITER PkgConfig::ZLIB)
  return()
endif()
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pl_soname(PERFLOG_XLSX_SONAME xlsxwriter "${XLSXWRITER_LIBRARY_DIRS}")
set_source_files_properties(analyze/workbook/library_posix.c PROPERTIES
    COMPILE_DEFINITIONS PL_XLSX_SONAME="${PERFLOG_XLSX_SONAME}")
target_include_directories(pl_analyze_workbook PRIVATE ${XLSXWRITER_INCLUDE_DIRS})
target_link_libraries(pl_analyze_workbook
    PRIVATE PkgConfig::ZLIB ${CMAKE_DL_LIBS})
