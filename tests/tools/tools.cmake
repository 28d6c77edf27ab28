# Programs that tests run, and benchmarks that are run by hand.

# Logs of a made-up machine, of any length.
add_executable(make_log tools/make_log.c support/long_machine.c)
target_link_libraries(make_log PRIVATE pl_format_all)
# Blocks of other makers, by way of a log that holds them as they are.
add_executable(put_blocks tools/put_blocks.c)
target_link_libraries(put_blocks PRIVATE pl_format_all)
# The samples of a log, a line each.
add_executable(blocks tools/blocks.c)
target_link_libraries(blocks PRIVATE pl_format_all)
# The most memory that a command took.
add_executable(peak tools/peak.c)

# What recordings cost to encode, decode and keep.
add_executable(bench_codec bench/codec.c)
target_link_libraries(bench_codec PRIVATE pl_format_all PkgConfig::ZSTD)

if(PERFLOG_PLATFORM STREQUAL "linux")
  # Thousands of processes of these are to be small.
  foreach(name churn storm)
    add_executable(${name} tools/${name}.c)
    target_link_libraries(${name} PRIVATE pl_flags)
    target_compile_options(${name} PRIVATE -fno-sanitize=all)
    target_link_options(${name} PRIVATE -fno-sanitize=all)
  endforeach()

  # Incidents: a process that cannot go on, and one that starts many others.
  foreach(name d_state fork_storm)
    add_executable(${name} incidents/${name}.c)
    target_link_libraries(${name} PRIVATE pl_flags)
    target_compile_options(${name} PRIVATE -fno-sanitize=all)
    target_link_options(${name} PRIVATE -fno-sanitize=all)
  endforeach()

  # What publishing and reading it costs.
  add_executable(bench_provider bench/provider.c)
  target_link_libraries(bench_provider PRIVATE pl_test_publishing pl_logger_all)
  # What a sample costs by object.
  add_executable(bench_tick bench/tick.c)
  target_link_libraries(bench_tick PRIVATE pl_logger_linux)
  pl_count_allocations(bench_tick)
endif()
