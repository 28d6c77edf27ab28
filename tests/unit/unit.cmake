# Unit tests: one Check program per module, in the folder of the room it is
# about.  It is linked with that room's library, and so with what the room sees.

# These are made of fork(), pipes, links, sockets, streams in memory, or TZ.
set(PERFLOG_POSIX_TESTS blg_damage foreign_grows full_disk hostile json late_segment misfit new_log packed_log notify
    reader reader_joined reader_newer reader_roots reader_torn segment segments tree writer
    writer_opens zone)

# pl_test(ROOM/NAME [LIBRARY...]): unit/ROOM/test_NAME.c.
function(pl_test path)
  cmake_path(GET path FILENAME name)
  cmake_path(GET path PARENT_PATH room)
  string(REPLACE "/" "_" library pl_${room})
  pl_return_if_repeating(${name})
  if(WIN32 AND name IN_LIST PERFLOG_POSIX_TESTS OR
      WIN32 AND name STREQUAL "damage") # a minute of opening files, in Wine
    return()
  endif()
  add_executable(test_${name} unit/${room}/test_${name}.c)
  set_source_files_properties(unit/${room}/test_${name}.c PROPERTIES
      COMPILE_OPTIONS "${PERFLOG_TEST_OPTIONS}")
  target_link_libraries(test_${name} PRIVATE pl_test_support ${ARGN})
  if(TARGET ${library})
    target_link_libraries(test_${name} PRIVATE ${library})
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES
      SKIP_RETURN_CODE 77 TIMEOUT 1800 LABELS unit ENVIRONMENT "${PERFLOG_IN_MEMORY}")
endfunction()

# pl_fault_test(ROOM/NAME [LIBRARY...]): the same with calls that fail on demand.
set(PERFLOG_WRAPPED write fdatasync ftruncate ftruncate64 open open64 flock
    read pread pread64 fstat fstat64 fstatvfs fstatvfs64
    malloc calloc realloc strdup strndup)
list(TRANSFORM PERFLOG_WRAPPED PREPEND "LINKER:--wrap=")
function(pl_fault_test path)
  if(WIN32) # its linker knows no such calls
    return()
  endif()
  cmake_path(GET path FILENAME name)
  pl_test(${path} ${ARGN})
  target_sources(test_${name} PRIVATE support/faults.c)
  target_link_options(test_${name} PRIVATE ${PERFLOG_WRAPPED})
endfunction()

# ---- format -----------------------------------------------------------------
pl_test(format/base/array)
pl_test(format/base/buf)
pl_test(format/base/codepage)
pl_test(format/base/cursor)
pl_test(format/time/date_order)
pl_test(format/base/file)
pl_test(format/time/instant)
pl_test(format/base/status)
pl_test(format/base/utf)
pl_test(format/time/zone)
pl_test(format/block/block_sweep)
pl_test(format/block/misfit)
pl_test(format/block/path)
pl_test(format/block/subset)
pl_test(format/block/titles)
pl_test(format/block/winperf)
pl_test(format/block/winperf_damage)
pl_test(format/writer/batch)
pl_test(format/payload/chunks)
pl_test(format/record/codec PkgConfig::ZSTD)
pl_test(format/reader/damage)
pl_test(format/record/delta)
pl_test(format/record/delta_plan)
pl_fault_test(format/writer/faults)
if(NOT WIN32)
  target_link_options(test_faults PRIVATE
      LINKER:--wrap=pl_clock_steady LINKER:--wrap=pl_sleep)
endif()
pl_test(format/writer/full_disk)
pl_test(format/reader/hostile)
pl_test(format/reader/identities)
pl_test(format/payload/identity_set)
pl_test(format/payload/meta)
pl_test(format/pack/pack PkgConfig::ZSTD)
pl_test(format/pack/pack_forged PkgConfig::ZSTD)
pl_test(format/pack/pack_words)
pl_fault_test(format/packing/pack_faults)
pl_test(format/packing/pack_log)
pl_test(format/packing/pack_replaced)
pl_test(format/payload/segment_names)
pl_test(format/reader/reader)
pl_test(format/reader/reader_joined)
pl_test(format/reader/reader_newer)
pl_test(format/reader/reader_roots)
pl_test(format/reader/reader_torn)
pl_test(format/record/record)
foreach(name kept rescue)
  pl_fault_test(format/writer/${name})
  if(NOT WIN32)
    target_sources(test_${name} PRIVATE support/recorder.c)
    target_link_options(test_${name} PRIVATE LINKER:--wrap=pl_clock_steady)
  endif()
endforeach()
pl_test(format/reader/seek)
pl_test(format/writer/segment)
pl_fault_test(format/writer/segment_faults)
pl_test(format/writer/segments)
pl_test(format/writer/seq)
pl_test(format/writer/writer)
pl_test(format/writer/writer_opens)

# ---- analyze ----------------------------------------------------------------
pl_test(analyze/amounts/window pl_analyze_cli)
pl_test(analyze/blocks/merge)
pl_test(analyze/browse/browse)
target_sources(test_browse PRIVATE support/long_machine.c)
target_link_options(test_browse PRIVATE LINKER:--wrap=pl_clock_steady)
pl_test(analyze/calc/calc pl_analyze_replay)
pl_test(analyze/calc/calc_odd pl_analyze_calc)
pl_test(analyze/calc/quantile m)
pl_test(analyze/cli/given_time)
pl_test(analyze/commands/late_segment pl_analyze_all)
if(TARGET test_late_segment)
  target_link_options(test_late_segment PRIVATE
      LINKER:--wrap=pl_replay_has_ended,--wrap=pl_sleep)
endif()
pl_test(analyze/copy/new_log)
pl_test(analyze/copy/packed_log)
if(TARGET test_packed_log)
  target_link_options(test_packed_log PRIVATE
      LINKER:--wrap=pl_file_open_private)
endif()
pl_test(analyze/diagnose/findings m)
pl_test(analyze/foreign/blg_damage)
pl_test(analyze/foreign/foreign_grows)
pl_fault_test(analyze/import/import_faults pl_analyze_all)
pl_test(analyze/import/title_file)
pl_test(analyze/input/host_log)
pl_test(analyze/inspect/loss)
pl_test(analyze/inspect/tree)
pl_test(analyze/library/public)
target_sources(test_public PRIVATE unit/analyze/library/public_side.c)
pl_test(analyze/output/csv LibCSV::LibCSV)
pl_test(analyze/output/files)
pl_test(analyze/output/json)
pl_test(analyze/output/number)
target_sources(test_number PRIVATE support/read_number.cc)
pl_test(analyze/output/progress)
pl_test(analyze/output/readable)
pl_test(analyze/parquet/parquet_bytes)
pl_test(analyze/query/sheet)
pl_test(analyze/replay/frame)
pl_test(analyze/replay/match)
pl_test(analyze/replay/parents)
foreach(part replay replay_names replay_pairs)
  pl_test(analyze/replay/${part} pl_analyze_output)
  target_sources(test_${part} PRIVATE support/replayed.c)
endforeach()
pl_test(analyze/replay/sample)
pl_test(analyze/report/axis)
pl_test(analyze/series/select)
pl_test(analyze/series/series)
if(PERFLOG_XLSX AND XLSXWRITER_FOUND)
  pl_test(analyze/workbook/sheet_plan)
endif()

# ---- logger -----------------------------------------------------------------
pl_test(logger/record/clock)
pl_test(logger/record/notify)
pl_fault_test(logger/record/spool)
if(NOT WIN32)
  set_tests_properties(clock spool PROPERTIES LABELS "unit;threads;platform")
  set_tests_properties(notify PROPERTIES LABELS "unit;platform")
  pl_test(logger/record/packer_child)
  pl_test(logger/record/packer_pauses)
  pl_test(logger/record/stop)
endif()

# The recorder of Windows, with all that asks Windows replaced.
foreach(name IN ITEMS windows windows_answers)
  pl_test(logger/windows/${name})
  target_sources(test_${name} PRIVATE
      support/fake_registry.c
      support/windows_machine.c
      ../logger/windows/counter_filter.c
      ../logger/windows/query_value.c
      ../logger/windows/intake.c
      ../logger/windows/titles.c
      ../logger/windows/titles_fetch.c
      ../logger/windows/sampler.c
      ../logger/windows/self.c)
endforeach()

if(PERFLOG_PLATFORM STREQUAL "linux")
  # A made-up machine, and what a sampler recorded of it.
  add_library(pl_test_linux STATIC support/population.c support/proc_tree.c
      support/proc_tree_more.c support/sample.c)
  target_link_libraries(pl_test_linux PUBLIC pl_test_support pl_logger_linux)

  pl_test(logger/windows/windows_self pl_logger_linux_tables)
  target_sources(test_windows_self PRIVATE ../logger/windows/self.c)
  pl_test(logger/linux/machine/head_count pl_logger_linux)
  pl_test(logger/linux/tables/linux_tables pl_logger_linux)
  pl_test(logger/linux/tables/linux_choice pl_test_linux)
  pl_test(logger/linux/sources/linux_text pl_logger_linux)
  pl_test(logger/linux/sources/linux_family pl_test_linux)
  pl_test(logger/linux/sources/linux_groups pl_test_linux)
  pl_test(logger/linux/sources/linux_hardware pl_test_linux)
  pl_test(logger/linux/identity/bounded_read)
  target_link_options(test_bounded_read PRIVATE LINKER:--wrap=pl_clock_steady)
  set_tests_properties(bounded_read PROPERTIES LABELS "unit;threads")
  pl_test(logger/linux/processes/cpu_times)
  pl_test(logger/linux/processes/exit_events pl_logger_linux)
  foreach(call IN ITEMS open close take lost)
    target_link_options(test_exit_events PRIVATE
        LINKER:--wrap=pl_taskstats_${call})
  endforeach()
  target_link_options(test_exit_events PRIVATE LINKER:--wrap=pl_pids_read)
  pl_test(logger/linux/processes/linux_ends pl_test_linux)
  target_link_options(test_linux_ends PRIVATE
      LINKER:--wrap=pl_task_program_walk,--wrap=pl_task_program_drain)
  pl_test(logger/linux/processes/linux_failed_walk pl_test_linux)
  target_link_options(test_linux_failed_walk PRIVATE
      LINKER:--wrap=pl_task_program_walk,--wrap=pl_task_program_drain)
  pl_test(logger/linux/identity/linux_identity pl_test_linux)
  target_link_options(test_linux_identity PRIVATE
      LINKER:--wrap=pl_bounded_read,--wrap=pl_tasks_has_not_ended)
  pl_test(logger/linux/identity/linux_identity_ended pl_test_linux)
  pl_test(logger/linux/processes/linux_not_ended pl_logger_linux)
  foreach(call IN ITEMS drain is_drained lost take_lines)
    target_link_options(test_linux_not_ended PRIVATE
        LINKER:--wrap=pl_task_program_${call})
  endforeach()
  pl_test(logger/linux/processes/proc_files pl_logger_linux)
  pl_test(logger/linux/processes/linux_tasks pl_logger_linux)
  pl_test(logger/linux/processes/linux_threads pl_test_linux)
  pl_test(logger/linux/processes/linux_ways pl_test_linux)
  if(TARGET test_linux_ways)
    add_test(NAME linux_ways_in_namespace COMMAND test_linux_ways --in-namespace)
    set_tests_properties(linux_ways_in_namespace PROPERTIES
        SKIP_RETURN_CODE 77 TIMEOUT 1800 LABELS unit)
  endif()
  pl_test(logger/linux/processes/own_io_words)
  foreach(name IN ITEMS process_ended process_ended_proc reaped_times)
    pl_test(logger/linux/processes/${name} pl_logger_linux)
    target_sources(test_${name} PRIVATE support/ended_rows.c)
  endforeach()
  pl_test(logger/linux/processes/quiet_processes pl_test_linux)
  pl_test(logger/linux/processes/taskstats pl_logger_linux)
  if(PERFLOG_HAS_BPF)
    pl_test(logger/linux/processes/bpf_ring pl_logger_linux)
    include(kernels/kernels.cmake)
  endif()
  pl_test(logger/linux/linux_catalogue pl_test_linux)
  pl_test(logger/linux/linux_change pl_test_linux)
  pl_test(logger/linux/linux_faults pl_test_linux)
  pl_fault_test(logger/linux/linux_no_memory pl_test_linux)
  pl_test(logger/record/start_pages)
  pl_test(logger/record/sample_loop pl_test_linux)
  target_link_options(test_sample_loop PRIVATE
      LINKER:--wrap=pl_sampler_read LINKER:--wrap=pl_ticks_due
      LINKER:--wrap=pl_start_pages_unmap)
  pl_test(logger/linux/linux_live pl_test_linux)
  pl_count_allocations(test_linux_live)
  pl_test(logger/linux/linux_sampler pl_test_linux)
  target_link_options(test_linux_sampler PRIVATE LINKER:--wrap=clock_gettime)
  # It looks for the disk that its folder is on.
  set_property(TEST linux_sampler APPEND PROPERTY ENVIRONMENT "TMPDIR=/var/tmp")

  # Counters that applications publish, from both sides.
  pl_test(logger/provider/provider pl_test_publishing)
  pl_test(logger/provider/provider_faults pl_test_publishing)
  target_link_options(test_provider_faults PRIVATE
      LINKER:--wrap=open64,--wrap=openat64,--wrap=fstatfs64,--wrap=fstat64
      LINKER:--wrap=posix_fallocate64,--wrap=fchmod,--wrap=mmap64
      LINKER:--wrap=fcntl64,--wrap=renameat2,--wrap=getrandom
      LINKER:--wrap=pthread_atfork,--wrap=malloc,--wrap=calloc)
  add_library(pl_test_watching STATIC support/watching.c)
  target_link_libraries(pl_test_watching
      PUBLIC pl_test_publishing pl_logger_linux)
  pl_test(logger/linux/published/publishers)
  pl_test(logger/linux/published/linux_regions pl_test_watching)
  pl_test(logger/linux/published/linux_region_ends pl_test_watching)
  pl_test(logger/linux/published/linux_region_forged pl_test_watching)
  target_link_options(test_linux_regions PRIVATE
      LINKER:--wrap=openat64,--wrap=fstat64)
  pl_test(logger/linux/published/linux_torn pl_test_watching)
  pl_test(logger/linux/published/linux_watch pl_test_watching)
  target_link_options(test_linux_watch PRIVATE
      LINKER:--wrap=inotify_init1,--wrap=inotify_add_watch,--wrap=read)
  pl_test(logger/linux/published/linux_untrusted pl_test_watching)
  pl_test(logger/linux/published/linux_busy pl_test_watching)
  pl_fault_test(logger/linux/published/regions_no_memory pl_test_watching)
  set_tests_properties(linux_untrusted PROPERTIES SKIP_RETURN_CODE 77)
  pl_test(logger/linux/published/linux_published pl_test_publishing pl_test_linux)
  pl_count_allocations(test_linux_published)
  set_property(TEST provider linux_regions linux_region_ends linux_region_forged
      APPEND PROPERTY LABELS threads)
  if(TEST linux_torn)
    set_property(TEST linux_torn APPEND PROPERTY LABELS threads)
  endif()
endif()
