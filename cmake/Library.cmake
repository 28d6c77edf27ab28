# libperflog: reading logs and the counter calculator for other programs.  What
# it is made of is the analyzer's own code; perflog.map says what is shown.
option(PERFLOG_LIBRARY "Build and install libperflog" ON)
if(PERFLOG_LIBRARY AND UNIX)
  set(map ${CMAKE_SOURCE_DIR}/analyze/library/perflog.map)
  add_library(libperflog SHARED analyze/library/library.c)
  target_link_libraries(libperflog PRIVATE pl_analyze_library)
  target_link_options(libperflog PRIVATE -static-libstdc++ -static-libgcc
      LINKER:--version-script=${map} LINKER:--as-needed LINKER:--gc-sections)
  target_include_directories(libperflog INTERFACE
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/perflog>)
  set_target_properties(libperflog PROPERTIES
      OUTPUT_NAME perflog EXPORT_NAME perflog LINK_DEPENDS ${map}
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

  install(TARGETS libperflog EXPORT perflog
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      COMPONENT lib NAMELINK_COMPONENT dev)
  set(headers ${CMAKE_INSTALL_INCLUDEDIR}/perflog)
  install(FILES analyze/library/perflog.h analyze/library/perflog_types.h
      DESTINATION ${headers} COMPONENT dev)
  install(FILES analyze/library/examples/series.c analyze/library/examples/series.py
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libperflog-dev/examples
      COMPONENT dev)

  pl_pkg_config(perflog ${CMAKE_BINARY_DIR}/perflog.pc)
  install(FILES ${CMAKE_BINARY_DIR}/perflog.pc
      DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
  include(CMakePackageConfigHelpers)
  set(config ${CMAKE_INSTALL_LIBDIR}/cmake/perflog)
  write_basic_package_version_file(
      ${CMAKE_BINARY_DIR}/perflog-config-version.cmake
      COMPATIBILITY SameMajorVersion)
  install(EXPORT perflog DESTINATION ${config} NAMESPACE perflog::
      FILE perflog-config.cmake COMPONENT dev)
  install(FILES ${CMAKE_BINARY_DIR}/perflog-config-version.cmake
      DESTINATION ${config} COMPONENT dev)
endif()
