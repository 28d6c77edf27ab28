/*                                                tests/support/proc_tree.h
 * A made-up machine: a saved /proc and /sys written file by file, so that
 * tests know every number in it.  proc_tree.c and proc_tree_more.c say what
 * stands where.
 */
#ifndef PL_TESTS_SUPPORT_PROC_TREE_H
#define PL_TESTS_SUPPORT_PROC_TREE_H

/* Make DIR/proc and DIR/sys anew; fails the test if it cannot. */
void proc_tree_make(const char *dir);

/* The part of it that is in proc_tree_more.c; made by proc_tree_make. */
void proc_tree_more(const char *dir);

/* Write or replace DIR/PATH, making the folders on the way. */
void proc_tree_put(const char *dir, const char *path, const char *text);

/* Remove DIR/PATH, a file or an empty folder. */
void proc_tree_remove(const char *dir, const char *path);

/* Make DIR/PATH a folder: nobody can read that, root neither. */
void proc_tree_spoil(const char *dir, const char *path);

/* Texts that tests change before they put them back. */
extern const char proc_tree_meminfo[];
extern const char proc_tree_vmstat[];

#endif
