#include "demos/regression_torch.h"

#include <string.h>

#include "demos/torch_script.h"
#include "engine/rng.h"

static bool is_file(const struct regression *r)
{
    return !r->points.has_truth;
}

const char *regression_torch_unit(const struct regression *r, const char *text)
{
    return is_file(r) ? text : "";
}

static bool same_numbers(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Whether R's points are what the seed gives: they may have been changed by hand. */
static bool is_as_drawn(const struct stage *stage, const struct regression *r, double noise)
{
    struct points drawn = {0};
    struct rng rng;
    bool is_same;

    for (size_t i = 0; i < stage->demo->n_params; i++)
        if (stage->demo->params[i].kind == PARAM_SEED)
            rng_seed(&rng, stage->values[i].seed, RNG_PATH_AVX2);
    points_draw(&drawn, &rng, r->points.n, noise, r->points.target);
    is_same = same_numbers(drawn.x, r->points.x, drawn.n) && same_numbers(drawn.y, r->points.y, drawn.n);
    points_free(&drawn);
    return is_same;
}

static void put_target(enum nw_target target, struct buf *out)
{
    buf_printf(out,
               "\n\ndef f(x):\n"
               "    \"\"\"%s, computed in double and rounded once: float32 functions may be off in the last "
               "bit.\"\"\"\n"
               "    wave = (2 * torch.sin(x.double())).float()\n"
               "    return wave + %s\n\n\n",
               target == NW_TARGET_POWER ? "2 sin x + x^0.8" : "2 sin x + x",
               target == NW_TARGET_POWER ? "(x.double() ** torch.tensor(0.8).item()).float()" : "x");
}

static void put_drawn_points(const struct regression *r, double noise, const char *drawn, bool changed,
                             size_t n_drawn, struct buf *out)
{
    buf_printf(out,
               "n_train = %zu\n"
               "x_train, _ = torch.sort(torch.rand(n_train) * 5)\n"
               "y_train = f(x_train) + torch.normal(0.0, ",
               n_drawn);
    torch_number(noise, out);
    buf_printf(
        out,
        ", (n_train,))\n%s"
        "x_test = torch.arange(0, 5, 0.1)\n"
        "y_truth = f(x_test)\n"
        "x_train, y_train, x_test, y_truth = (t.double() for t in (x_train, y_train, x_test, y_truth))\n",
        drawn);
    if (changed) {
        buf_puts(out, "# The points were changed by hand.\n");
        torch_tensor("x_train", r->points.x, &r->points.n, 1, out);
        torch_tensor("y_train", r->points.y, &r->points.n, 1, out);
    }
    buf_puts(out, "x_data, y_data = x_train, y_train\n");
}

static void put_file_points(const struct regression *r, const char *drawn, struct buf *out)
{
    const struct points *p = &r->points;

    buf_puts(out, drawn);
    torch_tensor("x_data", p->x, &p->n, 1, out);
    torch_tensor("y_data", p->y, &p->n, 1, out);
    buf_puts(
        out,
        "# Standardised, so that a learning rate means the same for years and for seconds.\nx_mean, x_std, "
        "y_mean, y_std = ");
    torch_number(p->x_shift, out);
    buf_puts(out, ", ");
    torch_number(p->x_scale, out);
    buf_puts(out, ", ");
    torch_number(p->y_shift, out);
    buf_puts(out, ", ");
    torch_number(p->y_scale, out);
    buf_printf(out,
               "\nx_train, y_train = (x_data - x_mean) / x_std, y_data - y_mean\n"
               "part = torch.arange(%zu).double() / %zu\n"
               "x_test = x_data[0] * (1 - part) + x_data[-1] * part\n"
               "y_truth = torch.full_like(x_test, math.nan)  # nobody knows it\n",
               r->n_q, r->n_q - 1);
}

void regression_torch_points(const struct stage *stage, const struct regression *r, double noise,
                             const char *drawn, struct buf *out)
{
    const size_t n = param_find(stage->demo->params, stage->demo->n_params, "n");

    if (!is_file(r))
        put_target(r->points.target, out);
    torch_seed(stage, out);
    if (is_file(r))
        put_file_points(r, drawn, out);
    else
        put_drawn_points(r, noise, drawn, !is_as_drawn(stage, r, noise), (size_t)stage->values[n].number,
                         out);
}

/* With kernels that have an end there may be no key in reach. */
static const char attend_text[] =
    "    weights = kernel((queries.unsqueeze(1) - x_train) * w)\n"
    "    return weights, (weights @ y_train%s).masked_fill(weights.sum(dim=1) == 0, math.nan)\n";

/* A Gaussian has none. */
static const char attend_sampled_text[] =
    "    # The weights of very many keys are those among a sample of them; the predictions come from all.\n"
    "    shown = torch.arange(%zu) * (len(x_train) - 1) // %zu\n"
    "    weights = kernel((queries.unsqueeze(1) - x_train[shown]) * w)\n"
    "    y_hat = [kernel((q.unsqueeze(1) - x_train) * w) @ y_train%s for q in queries.split(10)]\n"
    "    return weights, torch.cat(y_hat)\n";

void regression_torch_attend(const struct regression *r, struct buf *out)
{
    const size_t n_shown = r->all.weights.cols;
    const char *const y_mean = is_file(r) ? " + y_mean" : "";

    buf_printf(out,
               "def attend(kernel, w):\n"
               "    \"\"\"From all queries: weights (queries, keys) and predictions, NaN where no key is in "
               "reach.\"\"\"\n"
               "    queries = %s\n",
               is_file(r) ? "(x_test - x_mean) / x_std" : "x_test");
    if (n_shown < r->points.n)
        buf_printf(out, attend_sampled_text, n_shown, n_shown - 1, y_mean);
    else
        buf_printf(out, attend_text, y_mean);
    buf_puts(out, "\n\n");
}

void regression_torch_query(const struct regression *r, struct buf *out)
{
    buf_printf(out, "\n\ndef query():\n"
                    "    \"\"\"The sum of the query looked at, key by key.\"\"\"\n"
                    "    x = ");
    torch_number(r->x, out);
    buf_printf(out,
               "\n    u = (%s - x_train) * w\n"
               "    score = %s\n"
               "    expo = %s\n"
               "    weight = %s(u)\n"
               "    return {\"key\": x_data, \"value\": y_data, \"distance\": x - x_data, \"score\": score, "
               "\"exp\": expo,\n"
               "            \"weight\": weight, \"contribution\": weight * y_data}\n",
               is_file(r) ? "(x - x_mean) / x_std" : "x", torch_kernel_score(r->kernel),
               torch_kernel_expo(r->kernel), torch_kernel_name(r->kernel));
}

void regression_torch_others(struct buf *out)
{
    buf_puts(out, "def others(rows):\n"
                  "    \"\"\"Keys and values of the points at ROWS: all points but themselves.\"\"\"\n"
                  "    keep = rows.unsqueeze(1) != torch.arange(len(x_train))\n"
                  "    keys = x_train.repeat(len(rows), 1)[keep].reshape(len(rows), -1)\n"
                  "    values = y_train.repeat(len(rows), 1)[keep].reshape(len(rows), -1)\n"
                  "    return keys, values\n\n\n");
}
