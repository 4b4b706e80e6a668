/* The command `point` of the regression demos: points added, moved and taken away by hand. */
#ifndef ATTNLAB_DEMOS_POINTS_EDIT_H
#define ATTNLAB_DEMOS_POINTS_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"
#include "data/lang.h"
#include "demos/regression.h"

#define POINTS_EDIT_USAGE "add [X Y]|move I X Y|shift DX DY|delete [I]"
#define POINTS_EDIT_HELP  N_("add, move or delete a point by hand; left out: at the query")

/* The point that the keys act on: the one nearest to the query looked at. */
size_t points_nearest(const struct regression *r);

/* Does ARGS to a copy of R's points: "add [X Y]" (left out: the query and what it gets), "move I X Y", "shift
 * DX DY" (the nearest point, by steps that suit the picture), "delete [I]" (left out: the nearest). I counts
 * from 0 in the order of x. EDITED gets points of its own, on R's scale, and QUERY the x to look at next.
 * Refused where an index or a number is none, for more points than a hand can tell apart, and below 2 points.
 */
bool points_edit(const struct regression *r, const char *args, struct points *edited, double *query,
                 struct error *error);

#endif
