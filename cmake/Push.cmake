# Without libcurl and libsnappy a sender stands in that says so.
if(NOT PERFLOG_PUSH OR NOT PUSH_FOUND)
  target_sources(pl_analyze_push PRIVATE analyze/push/no_sender.c)
  return()
endif()
target_sources(pl_analyze_push PRIVATE analyze/push/sender_posix.c)

# Both are loaded when something is sent, under the names that the libraries here
# have for themselves.
pl_soname(PERFLOG_CURL_SONAME curl "${PUSH_LIBRARY_DIRS}")
pl_soname(PERFLOG_SNAPPY_SONAME snappy "${PUSH_LIBRARY_DIRS}")
set_source_files_properties(analyze/push/sender_posix.c PROPERTIES
    COMPILE_DEFINITIONS
    "PL_CURL_SONAME=\"${PERFLOG_CURL_SONAME}\";PL_SNAPPY_SONAME=\"${PERFLOG_SNAPPY_SONAME}\"")
target_include_directories(pl_analyze_push PRIVATE ${PUSH_INCLUDE_DIRS})
target_link_libraries(pl_analyze_push PRIVATE ${CMAKE_DL_LIBS})

# What engines are given: perflog-fleet(7).
install(FILES analyze/push/grafana-dashboard.json
    analyze/push/node-exporter.rules.yml
    DESTINATION ${CMAKE_INSTALL_DATADIR}/perflog)
