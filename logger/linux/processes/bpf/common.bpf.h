/*                                  logger/linux/processes/bpf/common.bpf.h
 * Shared by the programs: what the reader wants, and how members of
 * the kernel's structures are read.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_COMMON_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_COMMON_BPF_H

#include "kernel.h"
#include "task_record.h"

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* Set by the reader before it reads; values not wanted are 0. */
__u32 want = 0; /* enum pl_task_want */

/*
 * A kernel as most are has all members that the programs read, as wide as in
 * kernel.h where they are signed: PL_EXPECT_ALL takes that for granted.  Each member
 * then takes one relocation and one instruction, and no branch that the verifier
 * follows and removes; the program is refused where that is wrong.
 */
#ifdef PL_EXPECT_ALL
#define EXISTS(...) 1
#define IS_AS_WIDE(from, field) 1
#else
#define EXISTS(...) bpf_core_field_exists(__VA_ARGS__)
#define IS_AS_WIDE(from, field)                                                \
    (__builtin_preserve_field_info((from)->field, BPF_FIELD_RSHIFT_U64) ==     \
     64 - 8 * sizeof((from)->field))
#endif

/*
 * Reads a numeric member of any width in the running kernel.  NUMBER reads
 * through a pointer that the verifier trusts, COPY through any.  A plain load of
 * an unsigned member gets the kernel's width when it is relocated; the verifier
 * refuses the program where the kernel's is of another width and signed.  A
 * signed one is loaded plainly if it is as wide as in kernel.h, else copied:
 * the choice is made by relocation, too, which costs time at the start.
 *
 * A copy has as many bytes as the kernel's member.  They are its value by
 * themselves, but where the first byte is the highest, and COPY_SIGNED's, which may
 * be below 0.
 *
 * If the member is missing these are refused; the others give 0:
 * parts.bpf.h lists the members that may be missing.
 */
#define IS_UNSIGNED(from, field) ((__typeof__((from)->field))-1 > 0)
#define LOAD_OR_COPY(from, field)                                              \
    (IS_AS_WIDE(from, field) ? (__u64)(from)->field : COPY_SIGNED(from, field))
#define NUMBER(from, field)                                                    \
    __builtin_choose_expr(IS_UNSIGNED(from, field), (__u64)(from)->field,      \
                          LOAD_OR_COPY(from, field))
#ifdef PL_EXPECT_ALL /* a plain load of the same member is there, too */
#define COPY_SIGNED(from, field)                                               \
    ((__s64)(__typeof__((from)->field))COPY(from, field))
#else
#define COPY_SIGNED(from, field) BPF_CORE_READ_BITFIELD_PROBED(from, field)
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define COPY(from, field)                                                      \
    __extension__({                                                            \
        __u64 value = 0;                                                       \
        bpf_probe_read_kernel(&value, bpf_core_field_size((from)->field),      \
                              (const char *)(from) +                           \
                                  bpf_core_field_offset((from)->field));       \
        value;                                                                 \
    })
#else
#define COPY(from, field) BPF_CORE_READ_BITFIELD_PROBED(from, field)
#endif
#define NUMBER_OR_0(from, field)                                               \
    (EXISTS((from)->field) ? NUMBER(from, field) : 0)
#define COPY_OR_0(from, field) (EXISTS((from)->field) ? COPY(from, field) : 0)
#define COPY_SIGNED_OR_0(from, field)                                          \
    (EXISTS((from)->field) ? COPY_SIGNED(from, field) : 0)

/*
 * For a pointer loaded through one that it trusts the verifier searches all types of
 * the kernel four times, 1.6 ms in total, on each path that it follows, but for one
 * loaded through not_trusted() never.
 */
#define LOADED(p) asm volatile("" : "+r"(p))
#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

/* Where a member lies in what was copied.  Kept out of the load: that would be
 * refused where the member is of another width than in kernel.h. */
#define OFFSET_OF(type, field)                                                 \
    __extension__({                                                            \
        __u64 offset = bpf_core_field_offset(type, field);                     \
        LOADED(offset);                                                        \
        offset;                                                                \
    })

/*
 * The same task, but not trusted.  Kernels without types such as this one, which are
 * younger than the function, search nothing.  tasks.bpf.c alone does without it, for
 * kernels that cannot call it: to their verifier what others may replace (__rcu) may
 * be NULL.
 */
#ifdef PL_SEES_ENDS
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

static __always_inline const struct task_struct *
not_trusted(const struct task_struct *t)
{
    if (bpf_core_type_exists(struct task_struct__safe_rcu))
        return bpf_rdonly_cast(t, bpf_core_type_id_kernel(struct task_struct));
    return t;
}
#define IS_THERE(p) true
#else
#define not_trusted(t) (t)
#define IS_THERE(p) ((p) != NULL)
#endif

/* A pointer as a number, for arithmetic.  Every copy costs as much as some dozens
 * of instructions. */
static inline __u64 address_of(const void *p)
{
    const void *volatile room = p;
    __u64 address = 0;

    bpf_probe_read_kernel(&address, sizeof address, (const void *)&room);
    return address;
}

/* The same without a copy, where no other runs at the same time: in the iterator.
 * The verifier takes what is loaded from a map for a number. */
__u64 address_room = 0;

static inline __u64 address_in_walk(const void *p)
{
    *(const void *volatile *)&address_room = p;
    return *(volatile __u64 *)&address_room;
}

/* Always 0, which the verifier does not know.  What is 0 at one time and unknown at
 * another it follows twice, but once if this is used for the 0. */
__u64 unknown = 0;

/* Has the verifier forget which other number this one was copied from: by that it
 * tells two ways apart, and follows both. */
#define FORGET_SOURCE(number) asm volatile("%0 ^= 0" : "+r"(number))

/* Orders what is read before and after; some processors do so by themselves, for
 * which the build defines PL_READS_IN_ORDER: there a fence costs as much as 20
 * reads. */
static inline void fence(void)
{
#ifdef PL_READS_IN_ORDER
    asm volatile("" : : : "memory");
#else
    __u64 x = 0;

    __sync_fetch_and_add(&x, 1);
    asm volatile("" : : "r"(x) : "memory");
#endif
}

#endif
