# How everything is compiled and linked so that a bug in a reader of untrusted
# bytes ends in an abort rather than in somebody's code, and so that the same
# sources give the same bytes in whatever folder they lie.  This is the only
# place with such flags; presets and packages add none.  tests/cli/test_hardened.py
# reads the result.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

# pl_harden(FLAG...): compile and link with each that the compiler has.
function(pl_harden)
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "PERFLOG_HAS${flag}" has)
    set(CMAKE_REQUIRED_FLAGS -Werror)
    set(CMAKE_REQUIRED_LINK_OPTIONS ${flag})
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      add_compile_options(${flag})
      add_link_options(${flag})
    endif()
  endforeach()
endfunction()

# pl_harden_link(FLAG...): link with each that the linker has.
function(pl_harden_link)
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "PERFLOG_HAS${flag}" has)
    check_linker_flag(C "LINKER:${flag}" ${has})
    if(${has})
      add_link_options("LINKER:${flag}")
    endif()
  endforeach()
endfunction()

set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
if(WIN32)
  # Addresses at random in all 64 bits, and no code in data.
  pl_harden_link(--dynamicbase --high-entropy-va --nxcompat)
else()
  check_pie_supported(LANGUAGES C CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  # Which costs nothing where no name is replaced from outside.
  pl_harden(-fno-semantic-interposition
      -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|i[3-6]86)$")
    pl_harden(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    pl_harden(-mbranch-protection=standard)
  endif()
  pl_harden_link(-z,relro -z,now -z,noexecstack)
  # The C library's checks of lengths; they take the optimizer.  Level 3 is
  # not every library's.
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_c_source_compiles("#include <string.h>
      #if __USE_FORTIFY_LEVEL != 3
      #error
      #endif
      int main(void) { return 0; }" PERFLOG_HAS_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(fortify $<IF:$<BOOL:${PERFLOG_HAS_FORTIFY_3}>,3,2>)
  add_compile_options($<${optimized}:-U_FORTIFY_SOURCE>
      $<${optimized}:-D_FORTIFY_SOURCE=${fortify}>)
endif()

# Names of folders stay out of what is installed.  A debugger wants them.
foreach(map "${CMAKE_SOURCE_DIR}=." "${CMAKE_BINARY_DIR}=build")
  add_compile_options("$<${optimized}:-ffile-prefix-map=${map}>")
endforeach()
