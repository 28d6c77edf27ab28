# The BPF programs that read and count processes: compiled by clang, made into
# headers by bpftool, loaded by program.c and counter.c.  Nothing of it is needed
# at run time.
# PERFLOG_BPF: ON, OFF, or AUTO (if all that building it needs is there).
set(bpf_dir ${CMAKE_SOURCE_DIR}/logger/linux/processes/bpf)
set(bpf_built ${CMAKE_BINARY_DIR}/bpf)

if(NOT PERFLOG_BPF STREQUAL "OFF")
  find_program(CLANG clang)
  find_program(BPFTOOL bpftool PATHS /usr/sbin /sbin)
  find_path(BPF_INCLUDE_DIR bpf/skel_internal.h)
  mark_as_advanced(CLANG BPFTOOL BPF_INCLUDE_DIR)
endif()

# libbpf makes loaders of this machine's byte order only.
if(CMAKE_CROSSCOMPILING AND NOT PERFLOG_BPF STREQUAL "OFF" AND
    CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN" AND
    NOT CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "^(s390x|ppc64)$")
  message(STATUS
      "A BPF program of the other byte order can only be built on such a machine")
  unset(CLANG CACHE)
  set(CLANG "")
endif()

# The kernel's headers are those of the machine that it is built for.
set(bpf_headers -idirafter
    ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
if(CMAKE_SYSROOT)
  list(PREPEND bpf_headers --sysroot=${CMAKE_SYSROOT})
endif()

# These processors read memory in the order of the program.
set(bpf_ordered)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|i[3-6]86)$")
  set(bpf_ordered -DPL_READS_IN_ORDER)
endif()

# pl_bpf_program(FOLDER [FLAG...]): the programs that program.c and counter.c load,
# compiled with these flags, as FOLDER/pl_NAME.lskel.h.
function(pl_bpf_program to)
  file(MAKE_DIRECTORY ${to})
  foreach(name tasks ends ends_quick counter)
    add_custom_command(
        OUTPUT ${to}/pl_${name}.lskel.h
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra
            -Wno-unused-parameter -Werror -I${BPF_INCLUDE_DIR}
            -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.
            -ffile-prefix-map=${to}=bpf
            ${bpf_headers} ${bpf_ordered} ${ARGN}
            -c ${bpf_dir}/${name}.bpf.c -o ${name}.bpf.o
        COMMAND ${BPFTOOL} gen skeleton -L ${name}.bpf.o name pl_${name}
            > pl_${name}.lskel.h
        WORKING_DIRECTORY ${to}
        DEPENDS
            ${bpf_dir}/common.bpf.h
            ${bpf_dir}/counter.bpf.c
            ${bpf_dir}/ends.bpf.c
            ${bpf_dir}/ends_quick.bpf.c
            ${bpf_dir}/kernel.h
            ${bpf_dir}/lines.bpf.h
            ${bpf_dir}/memory.bpf.h
            ${bpf_dir}/own.bpf.h
            ${bpf_dir}/parts.bpf.h
            ${bpf_dir}/sums.bpf.h
            ${bpf_dir}/task_record.h
            ${bpf_dir}/tasks.bpf.c
        COMMENT "Building the BPF program ${name}"
        VERBATIM)
  endforeach()
endfunction()

if(CLANG AND BPFTOOL AND BPF_INCLUDE_DIR AND NOT PERFLOG_BPF STREQUAL "OFF")
  set(PERFLOG_HAS_BPF ON)
  pl_bpf_program(${bpf_built})
  target_sources(pl_logger_linux_processes PRIVATE
      ${bpf_dir}/program.c ${bpf_dir}/counter.c ${bpf_dir}/refusal.c
      ${bpf_dir}/ring.c ${bpf_built}/pl_tasks.lskel.h
      ${bpf_built}/pl_ends.lskel.h ${bpf_built}/pl_ends_quick.lskel.h
        ${bpf_built}/pl_counter.lskel.h)
  target_include_directories(pl_logger_linux_processes SYSTEM PRIVATE
      ${bpf_built} ${BPF_INCLUDE_DIR})
elseif(PERFLOG_BPF STREQUAL "ON")
  message(FATAL_ERROR "PERFLOG_BPF=ON needs clang, bpftool and libbpf's headers")
else()
  target_sources(pl_logger_linux_processes PRIVATE ${bpf_dir}/program_none.c
      ${bpf_dir}/counter_none.c)
  message(STATUS "Processes are read from /proc only (no BPF)")
endif()
