#include "engine/softmax.h"

#include <math.h>
#include <string.h>

#include "engine/exp.h"

static void set_all(double *out, size_t n, double value)
{
    for (size_t j = 0; j < n; j++)
        out[j] = value;
}

/* The largest of N scores, NaN if there is one among them, -inf if N is 0. */
static double max_or_nan(const double *score, size_t n)
{
    double max = -HUGE_VAL;

    for (size_t j = 0; j < n; j++) {
        if (isnan(score[j]))
            return score[j];
        if (score[j] > max)
            max = score[j];
    }
    return max;
}

/* Softmax over all N scores; false, with nothing written, if none exceeds -inf. */
static bool softmax_all(const double *score, size_t n, double *weight)
{
    const double max = max_or_nan(score, n);
    double sum = 0;

    if (max == -HUGE_VAL)
        return false;
    if (isnan(max)) {
        set_all(weight, n, nan(""));
        return true;
    }
    for (size_t j = 0; j < n; j++)
        weight[j] = score[j] == max ? 0 : score[j] - max;
    exp_array(weight, n);
    for (size_t j = 0; j < n; j++)
        sum += weight[j];
    for (size_t j = 0; j < n; j++)
        weight[j] /= sum;
    return true;
}

bool softmax_row(const double *score, size_t n, size_t valid_len, double *weight)
{
    const size_t valid = valid_len < n ? valid_len : n;

    if (!softmax_all(score, valid, weight)) {
        set_all(weight, n, 0);
        return false;
    }
    set_all(weight + valid, n - valid, 0);
    return true;
}

void softmax_row_filled(const double *score, size_t n, size_t valid_len, double fill, double *weight)
{
    const size_t valid = valid_len < n ? valid_len : n;

    memmove(weight, score, valid * sizeof(*weight));
    set_all(weight + valid, n - valid, fill);
    if (!softmax_all(weight, n, weight))
        set_all(weight, n, nan(""));
}

void softmax_row_backward(const double *weight, const double *grad_weight, size_t n, size_t valid_len,
                          double *grad_score)
{
    const size_t valid = valid_len < n ? valid_len : n;
    double mean = 0;

    for (size_t j = 0; j < valid; j++)
        mean += weight[j] * grad_weight[j];
    for (size_t j = 0; j < valid; j++)
        grad_score[j] = weight[j] * (grad_weight[j] - mean);
    set_all(grad_score + valid, n - valid, 0);
}

double softmax_entropy(const double *weight, size_t n)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++)
        if (weight[j] != 0)
            sum += weight[j] * log(weight[j]);
    return 0 - sum;
}
