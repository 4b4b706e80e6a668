#include "engine/nw_boxes.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/exp.h"
#include "engine/mem.h"
#include "engine/twice.h"

enum {
    NODES = NW_BOX_NODES,
    NEAR = 16,        /* boxes farther apart than this see less than exp(-32) of each other */
    FEW_POINTS = 500, /* so few need no help, and pairs are right to the last digit */
    CROWD = 16,       /* points a box must hold on average to be worth its time */
    NEIGHBOURS = 4,   /* boxes on either side that may drown a sparse one */
};

/* Of a box, in bandwidths. */
#define WIDTH 0.5

/* The sums' error is relative to the largest one about: below these it could be seen. */
#define LEAST_SUM   5.0
#define LEAST_RATIO 1e-4

/* cos((q + 1/2) pi / 12), the roots of the Chebyshev polynomial of degree 12. */
static const double root[NODES] = {
    0x1.fb9ea92ec689bp-1,  0x1.d906bcf328d46p-1,  0x1.963268b572492p-1,  0x1.37af93f9513eap-1,
    0x1.87de2a6aea963p-2,  0x1.0b5150f6da2d1p-3,  -0x1.0b5150f6da2d1p-3, -0x1.87de2a6aea963p-2,
    -0x1.37af93f9513eap-1, -0x1.963268b572492p-1, -0x1.d906bcf328d46p-1, -0x1.fb9ea92ec689bp-1,
};

/* What the nodes of one box see of those of another, some places away: [source][target]. */
struct nw_meeting {
    double k[NODES][NODES]; /* the kernel */
    double h[NODES][NODES]; /* times the squared distance */
};

/* The place of X, which is at or after PLACE: the same one, one farther on, or, after a gap that nobody sees
 * across, the first one of a new grid, whose offsets are small numbers again and so lose no digits. */
static struct nw_place place_after(struct nw_place place, double x, double width)
{
    const double offset = floor((x - place.anchor) / width);

    if (offset > place.offset + 2 * NEAR)
        return (struct nw_place){.anchor = x, .order = place.order + 2 * NEAR};
    return (struct nw_place){place.anchor, offset, place.order + (offset - place.offset)};
}

/* The place of the next point, I; those before are done. */
static struct nw_place next_place(const struct nw_boxes *boxes, struct nw_place place, size_t i)
{
    const double x = boxes->sorted.x[i];

    return i > 0 ? place_after(place, x, boxes->width) : (struct nw_place){.anchor = x};
}

static void count(struct nw_boxes *boxes, size_t first, size_t end)
{
    struct nw_place place = boxes->place;
    size_t n = 0;

    for (size_t i = first; i < end; i++) {
        const struct nw_place next = next_place(boxes, place, i);

        n += i == 0 || next.order > place.order;
        place = next;
    }
    boxes->place = place;
    boxes->n += n;
}

static void assign(struct nw_boxes *boxes, size_t first, size_t end)
{
    struct nw_box *box = &boxes->box[boxes->current];
    struct nw_place place = boxes->place;

    for (size_t i = first; i < end; i++) {
        const struct nw_place next = next_place(boxes, place, i);

        if (i == 0 || next.order > place.order) {
            box += i > 0;
            box->place = next;
            box->first = i;
        }
        box->end = i + 1;
        place = next;
    }
    boxes->place = place;
    boxes->current = (size_t)(box - boxes->box);
}

/* Where X stands in its box, from -1 to 1. */
static double within(const struct nw_boxes *boxes, const struct nw_box *box, double x)
{
    return 2 * ((x - box->place.anchor) / boxes->width - box->place.offset) - 1;
}

static void set_chebyshev(struct nw_boxes *boxes)
{
    for (size_t q = 0; q < NODES; q++) {
        double before = root[q], here = 1;

        for (size_t j = 0; j < NODES; j++) {
            const double next = 2 * root[q] * here - before;

            boxes->chebyshev[j].at[q] = here;
            before = here;
            here = next;
        }
    }
}

static double norm(size_t j)
{
    return (j > 0 ? 2.0 : 1.0) / NODES;
}

/* From Chebyshev moments to what would have to stand at the nodes to have the same ones. */
static struct nw_nodes from_moments(const struct nw_boxes *boxes, const double moment[NODES])
{
    struct nw_nodes nodes = {{0}};

    for (size_t j = 0; j < NODES; j++)
        for (size_t q = 0; q < NODES; q++)
            nodes.at[q] += norm(j) * moment[j] * boxes->chebyshev[j].at[q];
    return nodes;
}

/* From values at the nodes to the coefficients of the series that takes them. */
static struct nw_nodes to_series(const struct nw_boxes *boxes, const struct nw_nodes *value)
{
    struct nw_nodes series = {{0}};

    for (size_t j = 0; j < NODES; j++)
        for (size_t q = 0; q < NODES; q++)
            series.at[j] += norm(j) * value->at[q] * boxes->chebyshev[j].at[q];
    return series;
}

/* Adds the moments of the points FIRST .. END-1, all of one box. */
static void add_moments(struct nw_boxes *boxes, const struct nw_box *box, size_t first, size_t end)
{
    double n[NODES], y[NODES]; /* in registers: the stores to *boxes could alias the points */

    memcpy(n, boxes->moment_n, sizeof(n));
    memcpy(y, boxes->moment_y, sizeof(y));
    for (size_t i = first; i < end; i++) {
        const double z = within(boxes, box, boxes->sorted.x[i]), value = boxes->sorted.y[i] - boxes->middle;
        double before = z, here = 1;

        for (size_t j = 0; j < NODES; j++) {
            const double next = 2 * z * here - before;

            n[j] += here;
            y[j] += here * value;
            before = here;
            here = next;
        }
    }
    memcpy(boxes->moment_n, n, sizeof(n));
    memcpy(boxes->moment_y, y, sizeof(y));
}

static void gather(struct nw_boxes *boxes, size_t first, size_t end)
{
    while (first < end) {
        struct nw_box *const box = &boxes->box[boxes->current];
        const size_t until = box->end < end ? box->end : end;

        if (first == box->first) {
            memset(boxes->moment_n, 0, sizeof(boxes->moment_n));
            memset(boxes->moment_y, 0, sizeof(boxes->moment_y));
        }
        add_moments(boxes, box, first, until);
        if (until == box->end) {
            box->n = from_moments(boxes, boxes->moment_n);
            box->y = from_moments(boxes, boxes->moment_y);
            boxes->current++;
        }
        first = until;
    }
}

/* Everything depends on the difference of places only: 2 NEAR + 1 meetings serve all boxes. */
static struct nw_meeting *meetings(const struct nw_boxes *boxes)
{
    struct nw_meeting *const all = mem_new(2 * NEAR + 1, sizeof(*all));

    for (int away = -NEAR; away <= NEAR; away++) {
        struct nw_meeting *const m = &all[away + NEAR];

        for (size_t s = 0; s < NODES; s++)
            for (size_t t = 0; t < NODES; t++) {
                const double d = (away + (root[s] - root[t]) / 2) * boxes->width, u = d * boxes->w;

                m->k[s][t] = -u * u / 2;
                m->h[s][t] = d * d;
            }
        exp_array(&m->k[0][0], NODES * NODES);
        for (size_t s = 0; s < NODES; s++)
            for (size_t t = 0; t < NODES; t++)
                m->h[s][t] *= m->k[s][t];
    }
    return all;
}

TWICE_BODY void meet(const struct nw_meeting *m, const struct nw_box *source, struct nw_box *target)
{
    struct nw_nodes k = target->k, ky = target->ky, h = target->h, hy = target->hy;

    for (size_t s = 0; s < NODES; s++) {
        const double n = source->n.at[s], y = source->y.at[s];

#pragma omp simd
        for (size_t t = 0; t < NODES; t++) {
            k.at[t] += m->k[s][t] * n;
            ky.at[t] += m->k[s][t] * y;
            h.at[t] += m->h[s][t] * n;
            hy.at[t] += m->h[s][t] * y;
        }
    }
    target->k = k;
    target->ky = ky;
    target->h = h;
    target->hy = hy;
}

static void meet_baseline(const struct nw_meeting *m, const struct nw_box *source, struct nw_box *target)
{
    meet(m, source, target);
}

TWICE_AVX2 static void meet_avx2(const struct nw_meeting *m, const struct nw_box *source,
                                 struct nw_box *target)
{
    meet(m, source, target);
}

/* Leaves in the boxes the sums at their nodes. CURRENT is the first one that is seen. */
static void attend(struct nw_boxes *boxes, size_t first, size_t end)
{
    void (*const one)(const struct nw_meeting *, const struct nw_box *, struct nw_box *) =
        TWICE_HAVE_AVX2() ? meet_avx2 : meet_baseline;

    for (size_t t = first; t < end; t++) {
        struct nw_box *const target = &boxes->box[t];
        const double order = target->place.order;

        while (boxes->box[boxes->current].place.order < order - NEAR)
            boxes->current++;
        for (size_t s = boxes->current; s < boxes->n && boxes->box[s].place.order <= order + NEAR; s++)
            one(&boxes->meeting[(int)(boxes->box[s].place.order - order) + NEAR], &boxes->box[s], target);
    }
}

static double least(const struct nw_nodes *nodes)
{
    double value = nodes->at[0];

    for (size_t q = 1; q < NODES; q++)
        value = fmin(value, nodes->at[q]);
    return value;
}

static double largest(const struct nw_nodes *nodes)
{
    double value = nodes->at[0];

    for (size_t q = 1; q < NODES; q++)
        value = fmax(value, nodes->at[q]);
    return value;
}

static bool is_sparse(const struct nw_boxes *boxes, size_t index)
{
    const struct nw_box *const box = &boxes->box[index];
    const size_t first = index > NEIGHBOURS ? index - NEIGHBOURS : 0;
    const double sum = least(&box->k);

    if (sum < LEAST_SUM)
        return true;
    for (size_t i = first; i < boxes->n && i <= index + NEIGHBOURS; i++)
        if (fabs(boxes->box[i].place.order - box->place.order) <= NEIGHBOURS &&
            sum < LEAST_RATIO * largest(&boxes->box[i].k))
            return true;
    return false;
}

static void find_sparse(struct nw_boxes *boxes, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        boxes->box[i].sparse = is_sparse(boxes, i);
}

static void make_series(struct nw_boxes *boxes, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct nw_box *const box = &boxes->box[i];

        box->k = to_series(boxes, &box->k);
        box->ky = to_series(boxes, &box->ky);
        box->h = to_series(boxes, &box->h);
        box->hy = to_series(boxes, &box->hy);
    }
}

/* The differences, so that the mean is exactly the value itself if all are equal. */
static void add_values(struct nw_boxes *boxes, size_t first, size_t end)
{
    double sum = boxes->sum;

    for (size_t i = first; i < end; i++)
        sum += boxes->sorted.y[i] - boxes->sorted.y[0];
    boxes->sum = sum;
}

/* ---- the work */

enum phase { COUNT, ASSIGN, ADD, GATHER, ATTEND, SPARSE, SERIES, PHASES };

/* What is done with points or with boxes, and what one of them costs in nanoseconds. */
static const struct {
    void (*part)(struct nw_boxes *boxes, size_t first, size_t end);
    long cost;
    bool of_boxes;
} phases[PHASES] = {
    [COUNT] = {count, 3, false},         [ASSIGN] = {assign, 3, false},   [ADD] = {add_values, 1, false},
    [GATHER] = {gather, 6, false},       [ATTEND] = {attend, 2000, true}, [SPARSE] = {find_sparse, 200, true},
    [SERIES] = {make_series, 500, true},
};

static size_t length(const struct nw_boxes *boxes, size_t phase)
{
    return phases[phase].of_boxes ? boxes->n : boxes->sorted.n;
}

/* What the next phase needs; none follows if too few points would be in each box. */
static void end_phase(struct nw_boxes *boxes)
{
    switch (boxes->phase++) {
    case COUNT:
        if (boxes->n > boxes->sorted.n / CROWD) {
            boxes->n = 0;
            boxes->phase = PHASES;
            return;
        }
        boxes->box = mem_new(boxes->n, sizeof(*boxes->box));
        break;
    case ADD:
        boxes->middle = boxes->sorted.y[0] + boxes->sum / (double)boxes->sorted.n;
        set_chebyshev(boxes);
        break;
    case GATHER:
        boxes->meeting = meetings(boxes);
        break;
    case ATTEND:
        free(boxes->meeting);
        boxes->meeting = NULL;
        break;
    default:
        break;
    }
    boxes->at = boxes->current = 0;
}

struct nw_boxes nw_boxes_begin(struct nw_data sorted, double w)
{
    const double range = sorted.n > 0 ? sorted.x[sorted.n - 1] - sorted.x[0] : 0;

    return (struct nw_boxes){
        .w = w,
        .width = fmin(WIDTH / fabs(w), range > 0 ? range : 1),
        .sorted = sorted,
        .phase = sorted.n < FEW_POINTS ? PHASES : COUNT,
    };
}

bool nw_boxes_work(struct nw_boxes *boxes, long *budget)
{
    while (boxes->phase<PHASES && * budget> 0) {
        const size_t left = length(boxes, boxes->phase) - boxes->at;
        const size_t most = (size_t)(*budget / phases[boxes->phase].cost) + 1, n = left < most ? left : most;

        phases[boxes->phase].part(boxes, boxes->at, boxes->at + n);
        *budget -= (long)n * phases[boxes->phase].cost;
        boxes->at += n;
        if (n == left)
            end_phase(boxes);
    }
    return boxes->phase < PHASES;
}

struct nw_boxes nw_boxes_new(struct nw_data sorted, double w)
{
    struct nw_boxes boxes = nw_boxes_begin(sorted, w);
    long all = LONG_MAX;

    nw_boxes_work(&boxes, &all);
    return boxes;
}

/* Clenshaw's rule, four series at once. */
struct nw_sums nw_box_sums(const struct nw_boxes *boxes, const struct nw_box *box, double x)
{
    const double z = within(boxes, box, x);
    struct nw_sums b = {0}, after = {0};

    for (size_t j = NODES - 1; j > 0; j--) {
        const struct nw_sums next = {
            .k = box->k.at[j] + 2 * z * b.k - after.k,
            .ky = box->ky.at[j] + 2 * z * b.ky - after.ky,
            .h = box->h.at[j] + 2 * z * b.h - after.h,
            .hy = box->hy.at[j] + 2 * z * b.hy - after.hy,
        };

        after = b;
        b = next;
    }
    return (struct nw_sums){
        .k = box->k.at[0] + z * b.k - after.k,
        .ky = box->ky.at[0] + z * b.ky - after.ky,
        .h = box->h.at[0] + z * b.h - after.h,
        .hy = box->hy.at[0] + z * b.hy - after.hy,
    };
}

const struct nw_box *nw_boxes_find(const struct nw_boxes *boxes, struct nw_data sorted, double x)
{
    size_t first = 0, end = boxes->n;

    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const struct nw_box *const box = &boxes->box[middle];

        if (fabs(within(boxes, box, x)) <= 1)
            return box->sparse ? NULL : box;
        if (x < sorted.x[box->first])
            end = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

void nw_boxes_free(struct nw_boxes *boxes)
{
    free(boxes->box);
    free(boxes->meeting);
    *boxes = (struct nw_boxes){0};
}
