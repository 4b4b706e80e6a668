#include "engine/nw_boxes.h"

#include <math.h>
#include <stdlib.h>

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
struct meeting {
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

static size_t count_boxes(struct nw_data sorted, double width)
{
    struct nw_place place = {.anchor = sorted.x[0]};
    size_t n = 1;

    for (size_t i = 0; i < sorted.n; i++) {
        const struct nw_place next = place_after(place, sorted.x[i], width);

        n += next.order > place.order;
        place = next;
    }
    return n;
}

static void assign_points(struct nw_box *box, struct nw_data sorted, double width)
{
    box->place.anchor = sorted.x[0];
    for (size_t i = 0; i < sorted.n; i++) {
        const struct nw_place next = place_after(box->place, sorted.x[i], width);

        if (next.order > box->place.order) {
            box++;
            box->place = next;
            box->first = i;
        }
        box->end = i + 1;
    }
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

static void gather(const struct nw_boxes *boxes, struct nw_box *box, struct nw_data sorted)
{
    double n[NODES] = {0}, y[NODES] = {0};

    for (size_t i = box->first; i < box->end; i++) {
        const double z = within(boxes, box, sorted.x[i]), value = sorted.y[i] - boxes->middle;
        double before = z, here = 1;

        for (size_t j = 0; j < NODES; j++) {
            const double next = 2 * z * here - before;

            n[j] += here;
            y[j] += here * value;
            before = here;
            here = next;
        }
    }
    box->n = from_moments(boxes, n);
    box->y = from_moments(boxes, y);
}

/* Everything depends on the difference of places only: 2 NEAR + 1 meetings serve all boxes. */
static struct meeting *meetings(const struct nw_boxes *boxes)
{
    struct meeting *const all = mem_new(2 * NEAR + 1, sizeof(*all));

    for (int away = -NEAR; away <= NEAR; away++) {
        struct meeting *const m = &all[away + NEAR];

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

TWICE_BODY void meet(const struct meeting *m, const struct nw_box *source, struct nw_box *target)
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

static void meet_baseline(const struct meeting *m, const struct nw_box *source, struct nw_box *target)
{
    meet(m, source, target);
}

TWICE_AVX2 static void meet_avx2(const struct meeting *m, const struct nw_box *source, struct nw_box *target)
{
    meet(m, source, target);
}

/* Leaves in every box the sums at its nodes. */
static void attend(struct nw_boxes *boxes)
{
    void (*const one)(const struct meeting *, const struct nw_box *, struct nw_box *) =
        TWICE_HAVE_AVX2() ? meet_avx2 : meet_baseline;
    struct meeting *const all = meetings(boxes);
    size_t first = 0;

    for (size_t t = 0; t < boxes->n; t++) {
        struct nw_box *const target = &boxes->box[t];
        const double order = target->place.order;

        while (boxes->box[first].place.order < order - NEAR)
            first++;
        for (size_t s = first; s < boxes->n && boxes->box[s].place.order <= order + NEAR; s++)
            one(&all[(int)(boxes->box[s].place.order - order) + NEAR], &boxes->box[s], target);
    }
    free(all);
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

/* The mean; exactly the value itself if all are equal. */
static double middle_of(const double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += y[i] - y[0];
    return y[0] + sum / (double)n;
}

/* Boxes with their points; none if those would be too few in each. */
static struct nw_boxes boxes_of(struct nw_data sorted, double w)
{
    const double range = sorted.n > 0 ? sorted.x[sorted.n - 1] - sorted.x[0] : 0;
    struct nw_boxes boxes = {.w = w, .width = fmin(WIDTH / fabs(w), range > 0 ? range : 1)};
    size_t n;

    if (sorted.n < FEW_POINTS)
        return boxes;
    n = count_boxes(sorted, boxes.width);
    if (n > sorted.n / CROWD)
        return boxes;
    boxes.n = n;
    boxes.box = mem_new(n, sizeof(*boxes.box));
    assign_points(boxes.box, sorted, boxes.width);
    return boxes;
}

struct nw_boxes nw_boxes_new(struct nw_data sorted, double w)
{
    struct nw_boxes boxes = boxes_of(sorted, w);

    if (boxes.n == 0)
        return boxes;
    boxes.middle = middle_of(sorted.y, sorted.n);
    set_chebyshev(&boxes);
    for (size_t i = 0; i < boxes.n; i++)
        gather(&boxes, &boxes.box[i], sorted);
    attend(&boxes);
    for (size_t i = 0; i < boxes.n; i++)
        boxes.box[i].sparse = is_sparse(&boxes, i);
    for (size_t i = 0; i < boxes.n; i++) {
        struct nw_box *const box = &boxes.box[i];

        box->k = to_series(&boxes, &box->k);
        box->ky = to_series(&boxes, &box->ky);
        box->h = to_series(&boxes, &box->h);
        box->hy = to_series(&boxes, &box->hy);
    }
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
    *boxes = (struct nw_boxes){0};
}
