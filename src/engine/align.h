/* A translation in miniature: each output word must find its source word, and the scores that find it are
 * learned.
 *
 * The encoder's states h are given. The decoder's query for output word t is what it needs, h_t, said in
 * another language: q_t = M h_t. W_q, W_k (and w_v) are learned so that attention from q_t over the h_j gives
 * a context c_t = sum_j alpha_tj h_j near h_t. The loss is the mean over words and dimensions of (c_t -
 * h_t)^2. */
#ifndef ATTNLAB_ENGINE_ALIGN_H
#define ATTNLAB_ENGINE_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#include "engine/attention.h"

enum { ALIGN_WORDS_MAX = 50 };

/* What a seed draws; everything is owned. A zeroed struct holds nothing. */
struct align_draw {
    size_t d;
    double *source; /* (ALIGN_WORDS_MAX, d): h, the first words are a shorter sentence */
    double *query;  /* (ALIGN_WORDS_MAX, d): q_t = M h_t */
    double *theta;  /* W_q (d, d), W_k (d, d), w_v (d), in this order */
};

/* torch.manual_seed(seed); h = randn(50, d), each word then scaled to length sqrt(d), so that an error of 1
 * means that nothing of it is known; M = randn(d, d) / sqrt(d); W_q = nn.Linear(d, d, bias=False); W_k
 * likewise; w_v = nn.Linear(d, 1, bias=False). Float32 draws, everything after in double. */
struct align_draw align_draw_new(uint64_t seed, size_t d);
void align_draw_free(struct align_draw *draw);

/* A sentence of N words: the first N of a draw, borrowed. */
struct align {
    enum score score; /* SCORE_ADDITIVE or SCORE_SCALED */
    size_t n, d;
    const double *source, *query; /* (n, d) */
};

/* The number of learned values: 2 d^2, and d more for additive scores. */
size_t align_dim(enum score score, size_t d);

/* The loss at THETA. WEIGHT (n, n), CONTEXT (n, d) and GRADIENT (align_dim) are filled in where not NULL. */
double align_loss(const struct align *model, const double *theta, double *weight, double *context,
                  double *gradient);

/* The same loss for contexts that are given. */
double align_error(const struct align *model, const double *context);

/* One vector for all output words: the best one is the mean of the h, written to MEAN (d). Returns its loss.
 */
double align_fixed(const struct align *model, double *mean);

#endif
