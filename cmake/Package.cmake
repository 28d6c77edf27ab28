# Packages by CPack: `cmake --workflow --preset deb` (or rpm) makes them, each
# with its SHA-256 beside it.  Four components: the program with its service
# ("perflog", where everything without a component of its own goes), two shared
# libraries, and what compiling against these takes.
# Who builds packages answers for them; Debian's tools know him by these, too.
# Mail to the other address reaches nobody (RFC 2606).
set(packager "The perflog authors <authors@perflog.example.net>")
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(packager "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(PERFLOG_PACKAGER "${packager}"
    CACHE STRING "Whom packages name as their maintainer: NAME <MAIL>")
set(CPACK_PACKAGE_NAME perflog)
set(CPACK_PACKAGE_VENDOR "The perflog authors")
set(CPACK_PACKAGE_CONTACT "${PERFLOG_PACKAGER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"perflog samples a machine's performance counters and appends every sample, as
it is, to a log that survives kills, power cuts and full disks. From the log it
makes time series for spreadsheets, under Windows' names where the meaning is
the same.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
# Compiled as the preset release is, with -g, so that a compilers' cache has it.
set(CPACK_STRIP_FILES ON)
set(CPACK_SET_DESTDIR ON) # some of it goes to /etc, outside the prefix
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(library_words "libperflog reads logs that perflog recorded and gives other programs their time
series: a value per counter and sample. It has perflog's counter calculator,
which is the Windows NT performance monitor's, for itself, too.")
set(provider_words "libperflog_provider lets an application publish counters of its own, with one
instruction for each update; perflog records them beside those of the machine.")

# ---- Debian -----------------------------------------------------------------
set(debian_dir ${CMAKE_SOURCE_DIR}/cmake/package/debian)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PERFLOG_PACKAGE_NAME perflog)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PERFLOG_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")

set(CPACK_DEBIAN_LIB_PACKAGE_NAME libperflog${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIB_DESCRIPTION "${library_words}")
set(CPACK_DEBIAN_PROVIDER_PACKAGE_NAME
    libperflog-provider${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_PROVIDER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PROVIDER_DESCRIPTION "${provider_words}")
foreach(part LIB PROVIDER)
  set(library libperflog)
  if(part STREQUAL "PROVIDER")
    set(library libperflog_provider)
  endif()
  set(package ${CPACK_DEBIAN_${part}_PACKAGE_NAME})
  configure_file(${debian_dir}/shlibs.in
      ${CMAKE_BINARY_DIR}/control-${part}/shlibs @ONLY)
  set(CPACK_DEBIAN_${part}_PACKAGE_CONTROL_EXTRA
      ${debian_dir}/triggers ${CMAKE_BINARY_DIR}/control-${part}/shlibs)
endforeach()
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libperflog-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libperflog${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-1), libperflog-provider${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_DESCRIPTION "${library_words}

This package has what it takes to compile programs with it, and examples.")
# libxlsxwriter is loaded by name, so nothing finds it by itself.
set(needs)
set(rpm_needs)
if(PERFLOG_XLSX_SONAME MATCHES "[.]so[.]([0-9]+)$")
  list(APPEND needs libxlsxwriter${CMAKE_MATCH_1})
  list(APPEND rpm_needs "${PERFLOG_XLSX_SONAME}()(64bit)")
endif()
if(PUSH_FOUND) # likewise, for one command
  set(CPACK_DEBIAN_PERFLOG_PACKAGE_SUGGESTS "libcurl4, libsnappy1v5")
endif()
if(PERFLOG_SERVICE)
  # Its own tools, and one that makes the user.
  list(APPEND needs "init-system-helpers (>= 1.52)"
      "systemd | systemd-standalone-sysusers | systemd-sysusers")
  list(APPEND rpm_needs systemd)
  set(CPACK_DEBIAN_PERFLOG_PACKAGE_CONTROL_EXTRA
      ${debian_dir}/postinst ${debian_dir}/prerm ${debian_dir}/postrm
      ${debian_dir}/conffiles)
endif()
list(JOIN needs ", " CPACK_DEBIAN_PERFLOG_PACKAGE_DEPENDS)
list(JOIN rpm_needs ", " CPACK_RPM_PERFLOG_PACKAGE_REQUIRES)

# ---- RPM --------------------------------------------------------------------
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_MAIN_COMPONENT perflog)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_PACKAGE_GROUP "Applications/System")
set(CPACK_RPM_PACKAGE_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_AUTOREQ ON)
set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_LIB_PACKAGE_NAME libperflog${PROJECT_VERSION_MAJOR})
set(CPACK_RPM_LIB_PACKAGE_SUMMARY "Logs of performance counters as time series")
set(CPACK_RPM_PROVIDER_PACKAGE_NAME
    libperflog-provider${PROJECT_VERSION_MAJOR})
set(CPACK_RPM_PROVIDER_PACKAGE_SUMMARY
    "Performance counters that applications publish")
set(CPACK_RPM_DEV_PACKAGE_NAME libperflog-devel)
set(CPACK_RPM_DEV_PACKAGE_GROUP "Development/Libraries")
set(CPACK_RPM_DEV_PACKAGE_SUMMARY
    "Headers and examples for programs that read logs of perflog")
set(CPACK_RPM_DEV_PACKAGE_REQUIRES
    "libperflog${PROJECT_VERSION_MAJOR} = ${PROJECT_VERSION}-1, libperflog-provider${PROJECT_VERSION_MAJOR} = ${PROJECT_VERSION}-1")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /etc /usr/lib/systemd /usr/lib/systemd/system
    /usr/lib/systemd/system/sysinit.target.wants
    /usr/lib/systemd/system-preset /usr/lib/sysusers.d
    /usr/lib/tmpfiles.d ${CMAKE_INSTALL_FULL_MANDIR}
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/cmake
    ${CMAKE_INSTALL_FULL_MANDIR}/man1 ${CMAKE_INSTALL_FULL_MANDIR}/man5
    ${CMAKE_INSTALL_FULL_MANDIR}/man7)
if(PERFLOG_SERVICE)
  set(rpm_dir ${CMAKE_SOURCE_DIR}/cmake/package/rpm)
  set(CPACK_RPM_PERFLOG_POST_INSTALL_SCRIPT_FILE ${rpm_dir}/post)
  set(CPACK_RPM_PERFLOG_PRE_UNINSTALL_SCRIPT_FILE ${rpm_dir}/preun)
  set(CPACK_RPM_PERFLOG_POST_UNINSTALL_SCRIPT_FILE ${rpm_dir}/postun)
  set(CPACK_RPM_PERFLOG_USER_FILELIST
      "%config(noreplace) /etc/perflog/perflog.conf")
endif()

# ---- papers -----------------------------------------------------------------
set(PERFLOG_PAPERS "" CACHE STRING
    "Whose way to put licence and changes: debian, rpm, or none (empty)")
set(package_dir ${CMAKE_SOURCE_DIR}/cmake/package)
# Reports hold uPlot, under the same licence.
set(uplot_copyright)
if(PERFLOG_HAS_REPORT)
  file(STRINGS ${uplot}/LICENSE uplot_copyright REGEX "^Copyright")
  string(REGEX REPLACE "^Copyright \\(c\\) (.*)$" "\n  \\1 (uPlot)"
      uplot_copyright "${uplot_copyright}")
endif()
if(PERFLOG_PAPERS STREQUAL "debian")
  configure_file(${package_dir}/copyright.in ${CMAKE_BINARY_DIR}/copyright
      @ONLY)
  configure_file(${package_dir}/changelog.in ${CMAKE_BINARY_DIR}/changelog
      @ONLY)
  set(changelog ${CMAKE_BINARY_DIR}/changelog.Debian.gz)
  add_custom_command(OUTPUT ${changelog}
      COMMAND gzip -9nc ${CMAKE_BINARY_DIR}/changelog > ${changelog}
      DEPENDS ${CMAKE_BINARY_DIR}/changelog VERBATIM)
  add_custom_target(papers ALL DEPENDS ${changelog})
endif()
function(pl_install_papers component package)
  set(to ${CMAKE_INSTALL_DATADIR})
  if(PERFLOG_PAPERS STREQUAL "debian")
    install(FILES ${CMAKE_BINARY_DIR}/copyright ${changelog}
        DESTINATION ${to}/doc/${package} COMPONENT ${component})
    set(overrides ${package_dir}/debian/lintian)
    if(EXISTS ${overrides}.${component})
      set(overrides ${overrides}.${component})
    endif()
    install(FILES ${overrides} DESTINATION ${to}/lintian/overrides
        RENAME ${package} COMPONENT ${component})
  elseif(PERFLOG_PAPERS STREQUAL "rpm")
    install(FILES ${CMAKE_SOURCE_DIR}/LICENSE
        DESTINATION ${to}/licenses/${package} COMPONENT ${component})
  endif()
endfunction()
pl_install_papers(perflog perflog)
if(PERFLOG_PAPERS STREQUAL "rpm" AND PERFLOG_HAS_REPORT)
  install(FILES ${uplot}/LICENSE DESTINATION
      ${CMAKE_INSTALL_DATADIR}/licenses/perflog RENAME LICENSE.uPlot)
endif()
if(PERFLOG_LIBRARY AND UNIX)
  pl_install_papers(lib libperflog${PROJECT_VERSION_MAJOR})
  if(TARGET perflog_provider_shared)
    pl_install_papers(provider libperflog-provider${PROJECT_VERSION_MAJOR})
  endif()
  pl_install_papers(dev libperflog-dev)
endif()

include(CPack)
