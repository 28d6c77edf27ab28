# The libraries for Windows, which no package has: the sources of Debian's
# source packages are fetched into the build folder, each known by its hash.
set(PERFLOG_DEBIAN http://deb.debian.org/debian CACHE STRING
    "Mirror from which the libraries' sources for Windows come")
set(PERFLOG_FOREIGN_FLAGS "" CACHE STRING
    "Flags of the compiler for these libraries alone, such as -O1")

# pl_debian_source(NAME PATH HASH): the unpacked folder in ${NAME}_SOURCE.
function(pl_debian_source name path hash)
  get_filename_component(file ${path} NAME)
  set(tar ${CMAKE_BINARY_DIR}/sources/${file})
  set(folder ${CMAKE_BINARY_DIR}/sources/${name})
  if(NOT EXISTS ${folder}/${hash})
    file(DOWNLOAD ${PERFLOG_DEBIAN}/pool/main/${path} ${tar}
        EXPECTED_HASH SHA256=${hash} TLS_VERIFY ON TIMEOUT 300)
    file(REMOVE_RECURSE ${folder})
    file(ARCHIVE_EXTRACT INPUT ${tar} DESTINATION ${folder})
    file(TOUCH ${folder}/${hash})
  endif()
  file(GLOB unpacked LIST_DIRECTORIES true ${folder}/*/)
  list(FILTER unpacked EXCLUDE REGEX "/${hash}$")
  set(${name}_SOURCE ${unpacked} PARENT_SCOPE)
endfunction()

# pl_foreign_library(TARGET SOURCE...): built without a word, under the name
# that the package's own files would give it.
function(pl_foreign_library target)
  string(MAKE_C_IDENTIFIER ${target} name)
  add_library(${name} STATIC ${ARGN})
  target_compile_options(${name} PRIVATE -w -std=gnu11 ${PERFLOG_FOREIGN_FLAGS})
  add_library(${target} ALIAS ${name})
endfunction()

pl_debian_source(zstd libz/libzstd/libzstd_1.5.4+dfsg2.orig.tar.xz
    8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953)
file(GLOB sources ${zstd_SOURCE}/lib/common/*.c ${zstd_SOURCE}/lib/compress/*.c
    ${zstd_SOURCE}/lib/decompress/*.c)
pl_foreign_library(PkgConfig::ZSTD ${sources})
target_compile_definitions(PkgConfig__ZSTD PRIVATE ZSTD_DISABLE_ASM)
target_include_directories(PkgConfig__ZSTD SYSTEM PUBLIC ${zstd_SOURCE}/lib)

pl_debian_source(xxhash x/xxhash/xxhash_0.8.1.orig.tar.gz
    3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c)
pl_foreign_library(PkgConfig::XXHASH ${xxhash_SOURCE}/xxhash.c)
target_include_directories(PkgConfig__XXHASH SYSTEM PUBLIC ${xxhash_SOURCE})

pl_debian_source(csv libc/libcsv/libcsv_3.0.3+dfsg.orig.tar.gz
    06fddfaca720a4be7603bad63eb1833bca5b6c5a69b42b1c518a02cda2a73aef)
pl_foreign_library(LibCSV::LibCSV ${csv_SOURCE}/libcsv.c)
target_include_directories(LibCSV__LibCSV SYSTEM PUBLIC ${csv_SOURCE})

pl_debian_source(md libm/libmd/libmd_1.0.4.orig.tar.xz
    f51c921042e34beddeded4b75557656559cf5b1f2448033b4c1eec11c07e530f)
pl_foreign_library(PkgConfig::MD ${md_SOURCE}/src/sha2.c)
file(WRITE ${CMAKE_BINARY_DIR}/sources/md-config/config.h "")
target_include_directories(PkgConfig__MD SYSTEM
    PUBLIC ${md_SOURCE}/include PRIVATE ${CMAKE_BINARY_DIR}/sources/md-config)

if(PERFLOG_XLSX)
  pl_debian_source(zlib z/zlib/zlib_1.2.13.dfsg.orig.tar.bz2
      71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1)
  file(GLOB sources ${zlib_SOURCE}/*.c)
  list(FILTER sources EXCLUDE REGEX "/gz[a-z]*\\.c$")
  pl_foreign_library(PkgConfig::ZLIB ${sources})
  target_include_directories(PkgConfig__ZLIB SYSTEM PUBLIC ${zlib_SOURCE})

  pl_debian_source(xlsxwriter libx/libxlsxwriter/libxlsxwriter_1.1.4.orig.tar.gz
      b379eb35fdd9c653ebe72485b9c992f612c7ea66f732784457997d6e782f619b)
  set(third ${xlsxwriter_SOURCE}/third_party)
  file(GLOB sources ${xlsxwriter_SOURCE}/src/*.c)
  pl_foreign_library(PkgConfig::XLSXWRITER ${sources} ${third}/md5/md5.c
      ${third}/minizip/ioapi.c ${third}/minizip/zip.c)
  # Numbers are printed as elsewhere; files are opened by our own calls, as
  # its own take names in the code page, and no long ones; what it would print
  # of failures (where it is asked to by R's header) is not.
  set(silent ${CMAKE_BINARY_DIR}/sources/xlsxwriter-config)
  file(WRITE ${silent}/R.h "#define REprintf(...) ((void)0)\n")
  target_compile_definitions(PkgConfig__XLSXWRITER PRIVATE
      __USE_MINGW_ANSI_STDIO=1 USE_R_LANG USE_STANDARD_TMPFILE
      tmpfile=pl_xlsx_temporary fopen64=pl_file_stream)
  target_include_directories(PkgConfig__XLSXWRITER SYSTEM
      PUBLIC ${xlsxwriter_SOURCE}/include PRIVATE ${silent})
  target_link_libraries(PkgConfig__XLSXWRITER PRIVATE PkgConfig::ZLIB)
endif()
