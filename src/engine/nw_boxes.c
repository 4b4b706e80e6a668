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
    NEIGHBOURS = 4,   /* boxes on either side that may outshine a poor one */
};

/* Of a box, in bandwidths. */
#define WIDTH 0.5

/* The interpolation's error is relative to the largest sum about: below these it could be seen. */
#define LEAST_SUM   5.0
#define LEAST_RATIO 1e-3

/* cos((q + 1/2) pi / 12), the roots of the Chebyshev polynomial of degree 12. */
static const double root[NODES] = {
    0x1.fb9ea92ec689bp-1,  0x1.d906bcf328d46p-1,  0x1.963268b572492p-1,  0x1.37af93f9513eap-1,
    0x1.87de2a6aea963p-2,  0x1.0b5150f6da2d1p-3,  -0x1.0b5150f6da2d1p-3, -0x1.87de2a6aea963p-2,
    -0x1.37af93f9513eap-1, -0x1.963268b572492p-1, -0x1.d906bcf328d46p-1, -0x1.fb9ea92ec689bp-1,
};

/* What the nodes of one box see of those of another, some places away: [source][target]. */
struct meeting {
    double k[NODES][NODES];  /* the kernel */
    double kd[NODES][NODES]; /* times the squared distance */
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

/* Chebyshev moments, turned into what would have to stand at the nodes to have the same ones. */
static void to_nodes(const struct nw_boxes *boxes, const double moment[NODES], struct nw_nodes *nodes)
{
    *nodes = (struct nw_nodes){{0}};
    for (size_t j = 0; j < NODES; j++)
        for (size_t q = 0; q < NODES; q++)
            nodes->at[q] += (j > 0 ? 2.0 : 1.0) / NODES * moment[j] * boxes->cosine[j].at[q];
}

static void gather(const struct nw_boxes *boxes, struct nw_box *box, struct nw_data sorted)
{
    double one[NODES] = {0}, y[NODES] = {0}, yy[NODES] = {0};

    for (size_t i = box->first; i < box->end; i++) {
        const double z = within(boxes, box, sorted.x[i]), value = sorted.y[i] - boxes->middle;
        double before = z, here = 1;

        for (size_t j = 0; j < NODES; j++) {
            const double next = 2 * z * here - before;

            one[j] += here;
            y[j] += here * value;
            yy[j] += here * value * value;
            before = here;
            here = next;
        }
    }
    to_nodes(boxes, one, &box->n);
    to_nodes(boxes, y, &box->y);
    to_nodes(boxes, yy, &box->yy);
}

/* Everything depends on the difference of places only: 2 NEAR + 1 meetings serve all boxes. */
static struct meeting *meetings(const struct nw_boxes *boxes)
{
    struct meeting *all = mem_new(2 * NEAR + 1, sizeof(*all));

    for (int away = -NEAR; away <= NEAR; away++) {
        struct meeting *const m = &all[away + NEAR];

        for (size_t s = 0; s < NODES; s++)
            for (size_t t = 0; t < NODES; t++) {
                const double d = (away + (root[s] - root[t]) / 2) * boxes->width, u = d * boxes->w;

                m->kd[s][t] = d * d;
                m->k[s][t] = -u * u / 2;
            }
        exp_array(&m->k[0][0], NODES * NODES);
        for (size_t s = 0; s < NODES; s++)
            for (size_t t = 0; t < NODES; t++)
                m->kd[s][t] *= m->k[s][t];
    }
    return all;
}

TWICE_BODY void meet(const struct meeting *m, const struct nw_box *source, struct nw_box *target)
{
    struct nw_nodes k = target->k, ky = target->ky, kd = target->slope, kdy = target->slopey;

    for (size_t s = 0; s < NODES; s++) {
        const double n = source->n.at[s], y = source->y.at[s];

#pragma omp simd
        for (size_t t = 0; t < NODES; t++) {
            k.at[t] += m->k[s][t] * n;
            ky.at[t] += m->k[s][t] * y;
            kd.at[t] += m->kd[s][t] * n;
            kdy.at[t] += m->kd[s][t] * y;
        }
    }
    target->k = k;
    target->ky = ky;
    target->slope = kd;
    target->slopey = kdy;
}

static void meet_baseline(const struct meeting *m, const struct nw_box *source, struct nw_box *target)
{
    meet(m, source, target);
}

TWICE_AVX2 static void meet_avx2(const struct meeting *m, const struct nw_box *source, struct nw_box *target)
{
    meet(m, source, target);
}

/* dk/dw = -w d^2 k turns the sums of k d^2 into slopes. */
static void attend(struct nw_boxes *boxes)
{
    void (*const one)(const struct meeting *, const struct nw_box *, struct nw_box *) =
        TWICE_HAVE_AVX2() ? meet_avx2 : meet_baseline;
    struct meeting *const all = meetings(boxes);
    size_t first = 0;

    for (size_t t = 0; t < boxes->n; t++) {
        struct nw_box *const target = &boxes->box[t];

        while (boxes->box[first].place.order < target->place.order - NEAR)
            first++;
        for (size_t s = first; s < boxes->n && boxes->box[s].place.order <= target->place.order + NEAR; s++)
            one(&all[(int)(boxes->box[s].place.order - target->place.order) + NEAR], &boxes->box[s], target);
        for (size_t q = 0; q < NODES; q++) {
            target->slope.at[q] *= -boxes->w;
            target->slopey.at[q] *= -boxes->w;
        }
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

static bool is_poor(const struct nw_boxes *boxes, size_t index)
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

static void set_cosines(struct nw_boxes *boxes)
{
    for (size_t q = 0; q < NODES; q++) {
        double before = root[q], here = 1;

        for (size_t j = 0; j < NODES; j++) {
            const double next = 2 * root[q] * here - before;

            boxes->cosine[j].at[q] = here;
            before = here;
            here = next;
        }
    }
}

/* The mean; exactly the value itself if all are equal. */
static double middle_of(const double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += y[i] - y[0];
    return y[0] + sum / (double)n;
}

struct nw_boxes nw_boxes_new(struct nw_data sorted, double w)
{
    struct nw_boxes boxes = {.w = w};
    double range;
    size_t n;

    if (sorted.n < FEW_POINTS)
        return boxes;
    range = sorted.x[sorted.n - 1] - sorted.x[0];
    boxes.width = fmin(WIDTH / fabs(w), range > 0 ? range : 1);
    n = count_boxes(sorted, boxes.width);
    if (n > sorted.n / CROWD)
        return boxes;
    boxes.n = n;
    boxes.middle = middle_of(sorted.y, sorted.n);
    boxes.box = mem_new(boxes.n, sizeof(*boxes.box));
    set_cosines(&boxes);
    assign_points(boxes.box, sorted, boxes.width);
    for (size_t i = 0; i < boxes.n; i++)
        gather(&boxes, &boxes.box[i], sorted);
    attend(&boxes);
    for (size_t i = 0; i < boxes.n; i++)
        boxes.box[i].poor = is_poor(&boxes, i);
    return boxes;
}

/* The error at a point (x, y) is a(x) - b(x) y: leaving it out takes 1 from the sum of k and y from that of k
 * y. */
struct error {
    double a, b, slope_a, slope_b;
};

static struct error error_at(const struct nw_box *box, size_t q, bool leave_one_out)
{
    const double sum = box->k.at[q] - (leave_one_out ? 1 : 0), slope = box->slope.at[q];
    const double a = box->ky.at[q] / sum, b = leave_one_out ? box->k.at[q] / sum : 1;

    return (struct error){
        .a = a,
        .b = b,
        .slope_a = (box->slopey.at[q] - a * slope) / sum,
        .slope_b = leave_one_out ? slope * (1 - b) / sum : 0,
    };
}

void nw_box_loss(const struct nw_box *box, bool leave_one_out, double *loss, double *gradient)
{
    *loss = *gradient = 0;
    for (size_t q = 0; q < NODES; q++) {
        const struct error e = error_at(box, q, leave_one_out);
        const double n = box->n.at[q], y = box->y.at[q], yy = box->yy.at[q];

        *loss += n * e.a * e.a - 2 * y * e.a * e.b + yy * e.b * e.b;
        *gradient += 2 * (e.slope_a * (n * e.a - y * e.b) + e.slope_b * (yy * e.b - y * e.a));
    }
    *loss = fmax(*loss, 0); /* squares, whatever their rounding */
}

/* The Chebyshev coefficients of what takes VALUE at the nodes. */
static void coefficients(const struct nw_boxes *boxes, const struct nw_nodes *value, double c[NODES])
{
    for (size_t j = 0; j < NODES; j++) {
        c[j] = 0;
        for (size_t q = 0; q < NODES; q++)
            c[j] += (j > 0 ? 2.0 : 1.0) / NODES * value->at[q] * boxes->cosine[j].at[q];
    }
}

/* Clenshaw's rule. */
static double series(const double c[NODES], double z)
{
    double b1 = 0, b2 = 0;

    for (size_t j = NODES - 1; j > 0; j--) {
        const double b = c[j] + 2 * z * b1 - b2;

        b2 = b1;
        b1 = b;
    }
    return c[0] + z * b1 - b2;
}

void nw_box_predict_points(const struct nw_boxes *boxes, const struct nw_box *box, struct nw_data sorted,
                           bool leave_one_out, double *y_hat)
{
    struct nw_nodes a, b;
    double ca[NODES], cb[NODES];

    for (size_t q = 0; q < NODES; q++) {
        const struct error e = error_at(box, q, leave_one_out);

        a.at[q] = e.a;
        b.at[q] = e.b - 1;
    }
    coefficients(boxes, &a, ca);
    coefficients(boxes, &b, cb);
    for (size_t i = box->first; i < box->end; i++) {
        const double z = within(boxes, box, sorted.x[i]);

        y_hat[i] = boxes->middle + series(ca, z) - series(cb, z) * (sorted.y[i] - boxes->middle);
    }
}

double nw_box_predict(const struct nw_boxes *boxes, const struct nw_box *box, double x)
{
    struct nw_nodes mean;
    double c[NODES];

    for (size_t q = 0; q < NODES; q++)
        mean.at[q] = box->ky.at[q] / box->k.at[q];
    coefficients(boxes, &mean, c);
    return boxes->middle + series(c, within(boxes, box, x));
}

const struct nw_box *nw_boxes_find(const struct nw_boxes *boxes, struct nw_data sorted, double x)
{
    size_t first = 0, end = boxes->n;

    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const struct nw_box *const box = &boxes->box[middle];

        if (fabs(within(boxes, box, x)) <= 1)
            return box->poor ? NULL : box;
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
