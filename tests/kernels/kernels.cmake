# Kernels that nobody has: the BPF program is built with descriptions of this
# machine's kernel that are wrong, so that to the program it is another one.
set(other_kernels ${CMAKE_CURRENT_BINARY_DIR}/other_kernels)

# pl_other_kernel(NAME SOURCE FLAG...): a test with the program built so.
function(pl_other_kernel name source)
  pl_return_if_repeating(${name})
  pl_bpf_program(${other_kernels}/${name} ${ARGN})
  add_executable(test_${name} unit/logger/linux/processes/${source}
      ${bpf_dir}/program.c ${bpf_dir}/ring.c
      ${other_kernels}/${name}/pl_ends.lskel.h
      ${other_kernels}/${name}/pl_ends_quick.lskel.h
      ${other_kernels}/${name}/pl_tasks.lskel.h)
  target_include_directories(test_${name} SYSTEM BEFORE PRIVATE
      ${other_kernels}/${name} ${BPF_INCLUDE_DIR})
  target_link_libraries(test_${name} PRIVATE pl_test_support pl_test_linux)
  target_compile_definitions(test_${name} PRIVATE OTHER_KERNEL)
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES
      LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 1800)
endfunction()

# Every number is of another width: both ways agree all the same.
set(narrow ${other_kernels}/narrow.h)
add_custom_command(
    OUTPUT ${narrow}
    COMMAND sed -E
        -e "s/^( +)(unsigned |__u)(64|32|long long|long|int|short)( [a-z_, ]+([[]4])?;)/\\1unsigned char\\4/"
        -e "s/^( +)(__s)?(64|32|long long|long|int|short)( [a-z_, ]+([[]4])?;)/\\1signed char\\4/"
        ${bpf_dir}/kernel.h > ${narrow}
    DEPENDS ${bpf_dir}/kernel.h
    VERBATIM)
add_custom_target(narrow_kernel DEPENDS ${narrow})
pl_other_kernel(linux_widths test_linux_ways.c -include ${narrow})
if(TARGET test_linux_widths)
  add_dependencies(test_linux_widths narrow_kernel)
endif()

# Whatever a kernel may lack is missing.
set(missing)
foreach(member IN ITEMS
    ioac sched_info cgroups thread_info on_cpu se sum_sched_runtime utime stime
    gtime cutime cstime min_flt maj_flt nvcsw nivcsw nr_threads __state
    exit_state normal_prio static_prio prio real_parent real_cred oom_score_adj
    files delays total_vm hiwater_vm locked_vm pgtables_bytes rss_stat
    hiwater_rss stats_lock arg_start arg_end)
  list(APPEND missing -D${member}=${member}_is_nowhere)
endforeach()
pl_other_kernel(linux_lacks test_linux_lacks.c ${missing})

# What no kernel lacks is missing: the program is refused, and that is reported.
pl_other_kernel(linux_refusal test_linux_refusal.c
    -Dthread_pid=thread_pid_is_nowhere)

# What only the program needs that sees processes end is missing: the other one
# is loaded.
pl_other_kernel(linux_no_ends test_linux_no_ends.c -Dlive=live_is_nowhere)
