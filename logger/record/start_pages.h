/*                                              logger/record/start_pages.h
 * Pages of the program and its libraries that only the start of a recording
 * needed.  They count as memory of this process while they are mapped.
 * start_pages_posix.c (Linux) and start_pages_windows.c implement it.
 */
#ifndef PL_LOGGER_RECORD_START_PAGES_H
#define PL_LOGGER_RECORD_START_PAGES_H

/*
 * Unmap all pages of files that were not written to; what is needed again is
 * mapped again when it is touched.  What another program has put into the code of
 * this one is lost, such as breakpoints of a debugger.
 */
void pl_start_pages_unmap(void);

#endif
