# libperflog_provider: counters that applications publish themselves.  It
# stands alone: nothing of format/, logger/ or analyze/ is linked.
set(PERFLOG_PROVIDER_SOURCES
    logger/provider/pl_provider.c
    logger/provider/region_file_${PERFLOG_SYSTEM}.c
    logger/provider/system_${PERFLOG_SYSTEM}.c
    logger/provider/region_layout.c
)
foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  set(library perflog_provider_${kind})
  add_library(${library} ${KIND} ${PERFLOG_PROVIDER_SOURCES})
  set_target_properties(${library} PROPERTIES
      OUTPUT_NAME perflog_provider EXPORT_NAME provider_${kind}
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:pl_flags>
      PUBLIC Threads::Threads)
  target_compile_options(${library} PRIVATE -fvisibility=hidden)
  if(PERFLOG_PAPERS AND kind STREQUAL "static")
    # Packages are stripped, but CPack strips no static library.
    target_compile_options(${library} PRIVATE -g0)
  endif()
  target_include_directories(${library} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/logger/provider>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# The examples use the header as everybody does: <pl_provider.h>.
foreach(example hwinput worker)
  add_executable(${example} logger/provider/sample/${example}.c)
  target_link_libraries(${example} PRIVATE perflog_provider_static)
  target_compile_options(${example} PRIVATE -Wall -Wextra -Wpedantic
      $<$<BOOL:${PERFLOG_WERROR}>:-Werror>)
  install(FILES logger/provider/sample/${example}.c
      DESTINATION ${CMAKE_INSTALL_DATADIR}/perflog/examples COMPONENT dev)
endforeach()
install(FILES logger/provider/sample/hwinput.h logger/provider/sample/hwinput_windows.c
    DESTINATION ${CMAKE_INSTALL_DATADIR}/perflog/examples COMPONENT dev)

install(FILES logger/provider/pl_provider.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(TARGETS perflog_provider_static perflog_provider_shared
    EXPORT perflog_provider
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT provider NAMELINK_COMPONENT dev)
install(EXPORT perflog_provider NAMESPACE perflog::
    FILE perflog_provider-targets.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/perflog_provider COMPONENT dev)

include(CMakePackageConfigHelpers)
set(made ${CMAKE_BINARY_DIR}/provider)
configure_file(cmake/perflog_provider-config.cmake.in
    ${made}/perflog_provider-config.cmake @ONLY)
write_basic_package_version_file(${made}/perflog_provider-config-version.cmake
    COMPATIBILITY SameMajorVersion)
pl_pkg_config(perflog_provider ${made}/perflog_provider.pc)
install(FILES ${made}/perflog_provider-config.cmake
    ${made}/perflog_provider-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/perflog_provider COMPONENT dev)
install(FILES ${made}/perflog_provider.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
