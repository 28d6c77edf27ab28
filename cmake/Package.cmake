# Packages by CPack: `cmake --workflow --preset deb` (or rpm) makes them, each
# with its SHA-256 beside it.  Three components: the program with its service
# ("perflog", where everything without a component of its own goes), the shared
# library, and what compiling against it takes.
set(PERFLOG_PACKAGER "The perflog authors <perflog@localhost.localdomain>"
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
set(CPACK_STRIP_FILES ON)
set(CPACK_SET_DESTDIR ON) # some of it goes to /etc, outside the prefix
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)

# ---- Debian -----------------------------------------------------------------
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PERFLOG_PACKAGE_NAME perflog)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PERFLOG_DESCRIPTION
    "${PROJECT_DESCRIPTION}\n${CPACK_PACKAGE_DESCRIPTION}")

if(PERFLOG_SERVICE)
  set(debian_dir ${CMAKE_SOURCE_DIR}/cmake/package/debian)
  # Its own tools, and one that makes the user.
  set(CPACK_DEBIAN_PERFLOG_PACKAGE_DEPENDS
      "init-system-helpers (>= 1.52), systemd | systemd-standalone-sysusers | systemd-sysusers")
  set(CPACK_DEBIAN_PERFLOG_PACKAGE_CONTROL_EXTRA
      ${debian_dir}/postinst ${debian_dir}/prerm ${debian_dir}/postrm
      ${debian_dir}/conffiles)
endif()

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
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /etc /usr/lib/systemd /usr/lib/systemd/system /usr/lib/sysusers.d
    /usr/lib/tmpfiles.d ${CMAKE_INSTALL_FULL_MANDIR}
    ${CMAKE_INSTALL_FULL_MANDIR}/man1 ${CMAKE_INSTALL_FULL_MANDIR}/man5
    ${CMAKE_INSTALL_FULL_MANDIR}/man7)
if(PERFLOG_SERVICE)
  set(rpm_dir ${CMAKE_SOURCE_DIR}/cmake/package/rpm)
  set(CPACK_RPM_PERFLOG_PACKAGE_REQUIRES systemd)
  set(CPACK_RPM_PERFLOG_POST_INSTALL_SCRIPT_FILE ${rpm_dir}/post)
  set(CPACK_RPM_PERFLOG_PRE_UNINSTALL_SCRIPT_FILE ${rpm_dir}/preun)
  set(CPACK_RPM_PERFLOG_POST_UNINSTALL_SCRIPT_FILE ${rpm_dir}/postun)
  set(CPACK_RPM_PERFLOG_USER_FILELIST
      "%config(noreplace) /etc/perflog/perflog.conf")
endif()

# ---- papers -----------------------------------------------------------------
# pl_install_papers(COMPONENT PACKAGE): what Debian wants to find of each.
find_program(GZIP gzip)
set(package_dir ${CMAKE_SOURCE_DIR}/cmake/package)
configure_file(${package_dir}/changelog.in ${CMAKE_BINARY_DIR}/changelog @ONLY)
if(GZIP)
  set(changelog ${CMAKE_BINARY_DIR}/changelog.Debian.gz)
  add_custom_command(OUTPUT ${changelog}
      COMMAND ${GZIP} -9nc ${CMAKE_BINARY_DIR}/changelog > ${changelog}
      DEPENDS ${CMAKE_BINARY_DIR}/changelog VERBATIM)
  add_custom_target(papers ALL DEPENDS ${changelog})
endif()
function(pl_install_papers component package)
  set(doc ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES ${package_dir}/copyright DESTINATION ${doc}
      COMPONENT ${component})
  if(GZIP)
    install(FILES ${changelog} DESTINATION ${doc} COMPONENT ${component})
  endif()
endfunction()
pl_install_papers(perflog perflog)
install(FILES ${package_dir}/perflog.lintian
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME perflog)

include(CPack)
