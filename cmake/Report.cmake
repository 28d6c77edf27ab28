# What every report holds: our own script and style sheet, and uPlot, which is
# in no Debian package and not in this tree.  PERFLOG_UPLOT names the folder of
# its unpacked npm package; "npm" downloads that package, and takes it only if
# its bytes are the ones that were tried.  Nothing else of npm is needed.
# PERFLOG_REPORT: ON, OFF, or AUTO (if uPlot is there).
set(uplot_version 1.6.32)
set(uplot_sha512 2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023)

# The registry that npm would ask.
function(find_registry out)
  set(registry "$ENV{npm_config_registry}")
  find_program(NPM npm)
  mark_as_advanced(NPM)
  if(NOT registry AND NPM)
    execute_process(COMMAND ${NPM} config get registry
        OUTPUT_VARIABLE registry OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT registry MATCHES "^https?://")
    set(registry https://registry.npmjs.org/)
  endif()
  string(REGEX REPLACE "/+$" "" registry "${registry}")
  set(${out} "${registry}" PARENT_SCOPE)
endfunction()

# Sets 'folder' if the package is in the build folder or can be brought there.
# The hash vouches for it, so who it came from need not be proven.
function(download_uplot folder)
  set(place ${CMAKE_BINARY_DIR}/uplot)
  set(archive ${place}/uplot-${uplot_version}.tgz)
  set(found "")
  if(EXISTS ${archive})
    file(SHA512 ${archive} found)
  endif()
  if(NOT found STREQUAL uplot_sha512)
    find_registry(registry)
    file(DOWNLOAD ${registry}/uplot/-/uplot-${uplot_version}.tgz ${archive}
        TIMEOUT 60 STATUS status)
    if(NOT status MATCHES "^0;")
      file(REMOVE ${archive})
      message(STATUS "uPlot could not be downloaded from ${registry}: ${status}")
      return()
    endif()
    file(SHA512 ${archive} found)
    if(NOT found STREQUAL uplot_sha512)
      file(REMOVE ${archive})
      message(FATAL_ERROR "uPlot from ${registry} is not what it should be: "
          "its SHA-512 is ${found}")
    endif()
  endif()
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${place})
  set(${folder} ${place}/package PARENT_SCOPE)
endfunction()

set(uplot "")
if(NOT PERFLOG_REPORT STREQUAL "OFF")
  if(PERFLOG_UPLOT STREQUAL "npm")
    download_uplot(uplot)
  elseif(PERFLOG_UPLOT)
    set(uplot ${PERFLOG_UPLOT})
    if(NOT EXISTS ${uplot}/dist/uPlot.iife.min.js)
      message(FATAL_ERROR "PERFLOG_UPLOT: ${uplot} is not the folder of uPlot's "
          "npm package: it has no dist/uPlot.iife.min.js")
    endif()
  endif()
endif()
# The page has one script of its own, made of these one after another.
set(script ${CMAKE_BINARY_DIR}/page.js)
set(script_parts "")
foreach(part IN ITEMS begin text parts draw table zoom keys)
  list(APPEND script_parts ${CMAKE_SOURCE_DIR}/analyze/report/script/${part}.js)
endforeach()
# In this order they are in pl_report_assets.
set(assets ${uplot}/dist/uPlot.min.css ${CMAKE_SOURCE_DIR}/analyze/report/page.css
    ${uplot}/dist/uPlot.iife.min.js ${script} ${uplot}/LICENSE)
set(PERFLOG_HAS_REPORT ON)
foreach(asset IN LISTS assets)
  if(NOT uplot OR (NOT EXISTS ${asset} AND NOT asset STREQUAL script))
    set(PERFLOG_HAS_REPORT OFF)
  endif()
endforeach()

if(PERFLOG_HAS_REPORT)
  add_custom_command(
      OUTPUT ${script}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${script_parts}" -DOUT=${script}
          -P ${CMAKE_SOURCE_DIR}/cmake/JoinScripts.cmake
      DEPENDS ${script_parts} ${CMAKE_SOURCE_DIR}/cmake/JoinScripts.cmake
      COMMENT "Joining the script of reports"
      VERBATIM)
  set(embedded ${CMAKE_BINARY_DIR}/report_assets.c)
  add_custom_command(
      OUTPUT ${embedded}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${assets}" -DOUT=${embedded}
          -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
      DEPENDS ${assets} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
      COMMENT "Embedding the parts of reports"
      VERBATIM)
  target_sources(pl_analyze_report PRIVATE ${embedded})
elseif(PERFLOG_REPORT STREQUAL "ON")
  message(FATAL_ERROR "PERFLOG_REPORT=ON needs uPlot: give -DPERFLOG_UPLOT=npm, "
      "which downloads it, or the folder of its npm package")
else()
  target_sources(pl_analyze_report PRIVATE analyze/report/no_assets.c)
  message(STATUS "perflog report is not built (-DPERFLOG_UPLOT=npm downloads "
      "what it needs)")
endif()
