# pl_pkg_config(NAME FILE): makes FILE of NAME.pc.in.  Its folders follow the
# variable prefix, by which pkg-config finds what was moved, unless they are
# absolute.
function(pl_pkg_config name file)
  foreach(folder LIBDIR INCLUDEDIR)
    set(PC_${folder} "\${prefix}")
    cmake_path(APPEND PC_${folder} "${CMAKE_INSTALL_${folder}}")
  endforeach()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.pc.in ${file} @ONLY)
endfunction()
