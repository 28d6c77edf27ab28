# Without libxlsxwriter a layout stands in for workbooks that says so.
if(NOT PERFLOG_XLSX OR NOT XLSXWRITER_FOUND)
  target_sources(pl_analyze_export PRIVATE analyze/export/no_xlsx.c)
  return()
endif()
target_sources(pl_analyze_export PRIVATE
    analyze/export/xlsx.c
    analyze/export/xlsx_book.c
    analyze/export/xlsx_busiest.c
    analyze/export/xlsx_charts.c
    analyze/export/xlsx_draw.c
    analyze/export/xlsx_findings.c
    analyze/export/xlsx_hosts.c
    analyze/export/xlsx_library_${PERFLOG_SYSTEM}.c
    analyze/export/xlsx_parts.c
    analyze/export/xlsx_processes.c
    analyze/export/xlsx_summary.c
    analyze/export/xlsx_tables.c
    analyze/export/xlsx_vitals.c
    analyze/export/xlsx_wide.c)

# Workbooks: libxlsxwriter is loaded when one is made, under the name that the
# library here has for itself; zlib is linked.  On Windows both are.
if(WIN32)
  target_link_libraries(pl_analyze_export
      PRIVATE PkgConfig::XLSXWRITER PkgConfig::ZLIB)
  return()
endif()
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pl_soname(PERFLOG_XLSX_SONAME xlsxwriter "${XLSXWRITER_LIBRARY_DIRS}")
set_source_files_properties(analyze/export/xlsx_library_posix.c PROPERTIES
    COMPILE_DEFINITIONS PL_XLSX_SONAME="${PERFLOG_XLSX_SONAME}")
target_include_directories(pl_analyze_export PRIVATE ${XLSXWRITER_INCLUDE_DIRS})
target_link_libraries(pl_analyze_export
    PRIVATE PkgConfig::ZLIB ${CMAKE_DL_LIBS})
