# The reliability harness: what a commit runs of it.  In full, see all.sh.

# pl_crash(NAME [SOURCE...]): tests/crash/NAME.c, run without arguments.
add_library(pl_crash STATIC crash/args.c crash/source.c)
target_link_libraries(pl_crash PUBLIC pl_test_support)
function(pl_crash name)
  add_executable(crash_${name} crash/${name}.c)
  target_link_libraries(crash_${name} PRIVATE pl_crash)
  add_test(NAME crash_${name} COMMAND crash_${name})
  set_tests_properties(crash_${name} PROPERTIES LABELS crash TIMEOUT 600)
endfunction()

pl_crash(kill)
pl_crash(damage)
pl_crash(beside)
pl_crash(power)
target_link_options(crash_power PRIVATE
    LINKER:--wrap=write,--wrap=ftruncate64,--wrap=fdatasync)
target_link_options(crash_beside PRIVATE LINKER:--wrap=write,--wrap=fdatasync)
