# Finds libcsv, which installs neither a .pc file nor a CMake package.
# Gives the imported target LibCSV::LibCSV.
find_path(LibCSV_INCLUDE_DIR csv.h)
find_library(LibCSV_LIBRARY csv)
if(LibCSV_INCLUDE_DIR)
  file(STRINGS ${LibCSV_INCLUDE_DIR}/csv.h lines
       REGEX "^#define CSV_(MAJOR|MINOR|RELEASE) ")
  string(REGEX REPLACE "[^0-9]+([0-9]+)[^0-9]*" "\\1." LibCSV_VERSION
         "${lines}")
  string(REGEX REPLACE "\\.$" "" LibCSV_VERSION "${LibCSV_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibCSV
    REQUIRED_VARS LibCSV_LIBRARY LibCSV_INCLUDE_DIR
    VERSION_VAR LibCSV_VERSION)
if(LibCSV_FOUND AND NOT TARGET LibCSV::LibCSV)
  add_library(LibCSV::LibCSV UNKNOWN IMPORTED)
  set_target_properties(LibCSV::LibCSV PROPERTIES
      IMPORTED_LOCATION ${LibCSV_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${LibCSV_INCLUDE_DIR})
endif()
mark_as_advanced(LibCSV_INCLUDE_DIR LibCSV_LIBRARY)
