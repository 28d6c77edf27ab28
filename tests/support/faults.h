/*                                                   tests/support/faults.h
 * System calls and allocations that fail on demand.  A program that links
 * this file with --wrap for the calls below (see CMakeLists.txt) decides
 * which call fails, from which on, how often and how.
 */
#ifndef PL_TESTS_SUPPORT_FAULTS_H
#define PL_TESTS_SUPPORT_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum faulty_call {
    CALL_WRITE,
    CALL_SYNC,     /* fdatasync */
    CALL_TRUNCATE, /* ftruncate */
    CALL_OPEN,
    CALL_LOCK,  /* flock */
    CALL_READ,  /* read, pread */
    CALL_STAT,  /* fstat */
    CALL_SPACE, /* fstatvfs */
    CALL_ALLOC, /* malloc, calloc, realloc, strdup, strndup */
    NUM_FAULTY_CALLS
};

/*
 * In place of an errno: half of the bytes are transferred; none (no space,
 * for fstatvfs); half, and in the next call ENOSPC.
 */
enum { FAULT_SHORT = -1, FAULT_NOTHING = -2, FAULT_FULL = -3 };

struct fault {
    enum faulty_call call;
    uint32_t first; /* the first call to fail, counted from 1 */
    uint32_t num;   /* how many in a row */
    int error;      /* errno, or one of the above; ignored by CALL_ALLOC */
};

enum { MAX_FAULTS = 2 };

/* From now on count calls anew and let these fail; 'num' may be 0. */
void faults_set(const struct fault *f, size_t num);

/* Between these two calls are counted and may fail. */
void faults_on(void);
void faults_off(void);

/* Before the next of these calls, once: what another program does then. */
void faults_before(enum faulty_call call, void (*act)(void));

/* Calls since faults_set, and how many of them failed. */
uint32_t faults_counted(enum faulty_call call);
uint32_t faults_hit(void);

/* Until it is set to false, fdatasync waits; it may be set by any thread. */
void faults_hold_sync(bool hold);

/* Threads that are waiting in fdatasync. */
uint32_t faults_held(void);

#endif
