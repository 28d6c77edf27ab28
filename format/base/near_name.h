/*                                                  format/base/near_name.h
 * How near a mistyped name is to one that exists.
 */
#ifndef PL_FORMAT_BASE_NEAR_NAME_H
#define PL_FORMAT_BASE_NEAR_NAME_H

#include "format/base/text.h"

#include <stdbool.h>

/*
 * The number of characters to insert, delete or replace to get from one to the
 * other, ignoring the case of ASCII; many for names of more than 120 bytes.
 */
unsigned pl_name_distance(struct pl_text a, struct pl_text b);

/*
 * The same for names of objects, counters and instances: a name that contains
 * 'wanted' is as near as one with two errors, and so is the name of what people
 * call by another word: "Processor" for "cpu", "Memory" for "ram".
 */
unsigned pl_name_likeness(struct pl_text wanted, struct pl_text name);

/* True if it is so few that 'wanted' may be meant: a third of its length. */
bool pl_name_is_near(unsigned distance, struct pl_text wanted);

#endif
