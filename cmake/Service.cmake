# The recorder as a service of systemd: unit, configuration, user, folders.
option(PERFLOG_SERVICE "Install a service of systemd" ON)
if(PERFLOG_SERVICE AND PERFLOG_PLATFORM STREQUAL "linux")
  set(service_dir ${CMAKE_SOURCE_DIR}/logger/service)
  configure_file(${service_dir}/perflog.service.in
      ${CMAKE_BINARY_DIR}/perflog.service @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/perflog.service
      DESTINATION lib/systemd/system)
  if(PUSH_FOUND)
    configure_file(${service_dir}/perflog-push.service.in
        ${CMAKE_BINARY_DIR}/perflog-push.service @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/perflog-push.service
        DESTINATION lib/systemd/system)
  endif()
  # Needed before any service begins, whether the recorder is enabled or not.  By
  # sysinit.target, as systemd's own: in Debian 12 that folder is systemd's under
  # another name (/lib), and of one that is empty dpkg removes it with ours.
  set(mount run-perflog-providers.mount)
  install(FILES ${service_dir}/${mount} DESTINATION lib/systemd/system)
  file(CREATE_LINK ../${mount} ${CMAKE_BINARY_DIR}/${mount} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/${mount}
      DESTINATION lib/systemd/system/sysinit.target.wants)
  install(FILES ${service_dir}/perflog.sysusers
      DESTINATION lib/sysusers.d RENAME perflog.conf)
  install(FILES ${service_dir}/perflog.tmpfiles
      DESTINATION lib/tmpfiles.d RENAME perflog.conf)
  # The prefix /usr has /etc, but not where another one is given to
  # cmake --install: nothing is written outside that one.
  install(CODE "
      set(etc \"${CMAKE_INSTALL_SYSCONFDIR}\")
      if(CMAKE_INSTALL_PREFIX STREQUAL \"${CMAKE_INSTALL_PREFIX}\")
        set(etc \"${CMAKE_INSTALL_FULL_SYSCONFDIR}\")
      endif()
      cmake_path(ABSOLUTE_PATH etc
          BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
      file(INSTALL DESTINATION \"\${etc}/perflog\" TYPE FILE
          FILES \"${service_dir}/perflog.conf\")")
  if(PERFLOG_PAPERS STREQUAL "rpm") # where no service is enabled unasked
    install(FILES ${service_dir}/perflog.preset
        DESTINATION lib/systemd/system-preset RENAME 50-perflog.preset)
  endif()
endif()
