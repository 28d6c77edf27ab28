# Check for Windows, from Debian's source package.  It has no fork() there:
# all tests of a program run in one process, and the first failure ends it.
pl_debian_source(check c/check/check_0.15.2.orig.tar.gz
    8451b68ac5d6f3157b24f22eceff575bcf566264f6d78f3852f89d4e08cf42e1)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # it takes the answers given here
set(CMAKE_WARN_DEPRECATED OFF)
set(CHECK_ENABLE_TESTS OFF)
set(CHECK_ENABLE_TIMEOUT_TESTS OFF)
add_subdirectory(${check_SOURCE} ${CMAKE_BINARY_DIR}/check EXCLUDE_FROM_ALL)
target_compile_options(check PRIVATE -w)
target_compile_options(compat PRIVATE -w)
add_library(check_library INTERFACE)
target_link_libraries(check_library INTERFACE check compat winpthread)
# Its messages are printed as Windows prints; other systems check their words.
target_compile_options(check_library INTERFACE -Wno-format
    -Wno-format-extra-args -Wno-format-security -Wno-error=format-security)
target_include_directories(check_library SYSTEM INTERFACE
    ${CMAKE_BINARY_DIR}/check/src ${CMAKE_BINARY_DIR}/check ${check_SOURCE}/src)
add_library(PkgConfig::CHECK ALIAS check_library)
