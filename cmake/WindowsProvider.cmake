# Counters that applications publish themselves, on Windows: the library they
# link, and the one that Windows loads to ask for what they count.
add_library(perflog_provider_static STATIC
    logger/provider/install_windows.c
    logger/provider/pl_provider.c
    logger/provider/region_file_windows.c
    logger/provider/system_windows.c
    logger/provider/region_layout.c)
set_target_properties(perflog_provider_static PROPERTIES OUTPUT_NAME perflog_provider)
target_link_libraries(perflog_provider_static
    PRIVATE pl_flags PkgConfig::XXHASH PUBLIC advapi32)
target_include_directories(perflog_provider_static PUBLIC
    ${CMAKE_SOURCE_DIR}/logger/provider)

add_library(perflog_provider MODULE logger/windows/dll/collect.c)
set_target_properties(perflog_provider PROPERTIES PREFIX "")
target_link_libraries(perflog_provider PRIVATE pl_logger_windows_dll)
target_link_options(perflog_provider PRIVATE -static)

# The examples use the header as everybody does: <pl_provider.h>.
add_executable(hwinput logger/provider/sample/hwinput_windows.c)
add_executable(worker logger/provider/sample/worker.c)
foreach(example hwinput worker)
  # nanosleep, which mingw keeps apart.
  target_link_libraries(${example} PRIVATE perflog_provider_static winpthread)
  target_compile_options(${example} PRIVATE -Wall -Wextra
      $<$<BOOL:${PERFLOG_WERROR}>:-Werror>)
endforeach()

install(TARGETS perflog_provider hwinput DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS perflog_provider_static DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES logger/provider/pl_provider.h logger/provider/pl_install.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
