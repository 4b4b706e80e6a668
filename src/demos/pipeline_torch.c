/* The script of the attention layers. */
#include "demos/pipeline.h"

#include "demos/torch_script.h"

enum { RANK = 3 };

/* A tensor's numbers as they are. */
static void put_tensor(const struct pipeline *p, const char *name, enum tensor tensor, size_t n,
                       struct buf *out)
{
    const struct matrix *const m = &p->tensor[tensor];
    const size_t shape[RANK] = {p->shape.batch, n, m->cols};

    torch_tensor(name, m->at, shape, RANK, out);
}

static void put_normal(const char *name, const size_t shape[RANK], struct buf *out)
{
    buf_printf(out, "%s = torch.normal(0.0, 1.0, ", name);
    torch_shape(shape, RANK, out);
    buf_puts(out, ").double()\n");
}

static void put_inputs(const struct stage *stage, struct buf *out)
{
    const struct pipeline *const p = pipeline_of(stage);
    const struct value *const v = stage->values;
    const struct attention_shape *const s = &p->shape;
    const size_t queries[RANK] = {s->batch, s->n_q, s->d_q}, keys[RANK] = {s->batch, s->n_k, s->d_k};

    if (v[PIPELINE_Q].n_list > 0)
        put_tensor(p, "queries", T_QUERIES, s->n_q, out);
    else
        put_normal("queries", queries, out);
    if (v[PIPELINE_K].n_list > 0) {
        put_tensor(p, "keys", T_KEYS, s->n_k, out);
    } else if (v[PIPELINE_KEYS].number == KEYS_RANDOM) {
        put_normal("keys", keys, out);
    } else if (v[PIPELINE_KEYS].number == KEYS_IDENTITY) {
        buf_printf(out, "keys = torch.eye(%zu).repeat(%zu, 1, 1).double()\n", s->d_k, s->batch);
    } else {
        buf_puts(out, "keys = torch.ones");
        torch_shape(keys, RANK, out);
        buf_puts(out, ".double()\n");
    }
    buf_printf(out, "values = torch.arange(%zu).reshape(1, %zu, %zu).repeat(%zu, 1, 1).double()\n",
               s->n_k * s->d_v, s->n_k, s->d_v, s->batch);
    torch_valid_lens(&v[PIPELINE_VALID_LENS], out);
}

/* Where numbers were changed by hand, after all has been drawn. */
static void put_edits(const struct pipeline *p, struct buf *out)
{
    if (!p->edited)
        return;
    buf_puts(out, "\n# Changed by hand.\n");
    put_tensor(p, "queries", T_QUERIES, p->shape.n_q, out);
    put_tensor(p, "keys", T_KEYS, p->shape.n_k, out);
    put_tensor(p, "values", T_VALUES, p->shape.n_k, out);
}

/* ---- the layers */

static void put_dropout(const struct pipeline *p, size_t pass, struct buf *out)
{
    buf_puts(out, "def dropout(weights):\n");
    if (p->dropout <= 0) {
        buf_puts(out, "    return weights  # nothing is dropped in eval mode, or with dropout 0\n\n\n");
        return;
    }
    if (p->dropout >= 1) {
        buf_puts(out, "    return torch.zeros_like(weights)\n\n\n");
        return;
    }
    buf_puts(out, "    \"\"\"nn.Dropout in training mode, with a mask of its own: PyTorch's builds with MKL "
                  "draw others.\"\"\"\n"
                  "    p = ");
    torch_number(p->dropout, out);
    buf_printf(out,
               "\n    for _ in range(%zu):  # each forward pass draws one\n"
               "        keep = torch.rand(weights.shape, dtype=torch.float64) < 1 - p\n"
               "    return weights * keep / (1 - p)\n\n\n",
               pass);
}

static const char additive_layer[] =
    "class AdditiveAttention(nn.Module):\n"
    "    \"\"\"Scores w_v . tanh(W_q q + W_k k).\"\"\"\n"
    "\n"
    "    def __init__(self, key_size, query_size, num_hiddens):\n"
    "        super().__init__()\n"
    "        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)\n"
    "        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)\n"
    "        self.w_v = nn.Linear(num_hiddens, 1, bias=False)\n"
    "\n"
    "    def forward(self, queries, keys, values, valid_lens):\n"
    "        # (b, q, 1, h) + (b, 1, k, h): every query meets every key.\n"
    "        self.features = torch.tanh(self.W_q(queries).unsqueeze(2) + self.W_k(keys).unsqueeze(1))\n"
    "        self.scores = self.w_v(self.features).squeeze(-1)\n";

static const char bilinear_layer[] =
    "class BilinearAttention(nn.Module):\n"
    "    \"\"\"Scores q W k: queries and keys may differ in size.\"\"\"\n"
    "\n"
    "    def __init__(self, query_size, key_size):\n"
    "        super().__init__()\n"
    "        self.W = nn.Linear(key_size, query_size, bias=False).weight\n"
    "\n"
    "    def forward(self, queries, keys, values, valid_lens):\n"
    "        self.scores = torch.bmm(queries @ self.W, keys.transpose(1, 2))\n";

static const char dot_layer[] = "class DotProductAttention(nn.Module):\n"
                                "    \"\"\"Scores q . k.\"\"\"\n"
                                "\n"
                                "    def forward(self, queries, keys, values, valid_lens):\n"
                                "        self.scores = torch.bmm(queries, keys.transpose(1, 2))\n";

static const char scaled_layer[] =
    "class DotProductAttention(nn.Module):\n"
    "    \"\"\"Scores q . k / sqrt(d).\"\"\"\n"
    "\n"
    "    def forward(self, queries, keys, values, valid_lens):\n"
    "        d = queries.shape[-1]\n"
    "        self.scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)\n";

static const char layer_end[] = "        self.attention_weights = masked_softmax(self.scores, valid_lens)\n"
                                "        self.kept = dropout(self.attention_weights)\n"
                                "        return torch.bmm(self.kept, values)\n"
                                "\n\n";

static void put_layer(enum score score, struct buf *out)
{
    static const char *const layers[SCORES] = {[SCORE_ADDITIVE] = additive_layer,
                                               [SCORE_BILINEAR] = bilinear_layer,
                                               [SCORE_DOT] = dot_layer,
                                               [SCORE_SCALED] = scaled_layer};

    buf_puts(out, layers[score]);
    buf_puts(out, layer_end);
}

static void put_call(const struct pipeline_spec *spec, struct buf *out)
{
    switch (spec->score) {
    case SCORE_ADDITIVE:
        buf_printf(out,
                   "attention = AdditiveAttention(key_size=%zu, query_size=%zu, num_hiddens=%zu).double()\n",
                   spec->d_k, spec->d_q, spec->hidden);
        break;
    case SCORE_BILINEAR:
        buf_printf(out, "attention = BilinearAttention(query_size=%zu, key_size=%zu).double()\n", spec->d_q,
                   spec->d_k);
        break;
    default:
        buf_puts(out, "attention = DotProductAttention()\n");
    }
}

/* ---- the whole */

static void put_tables(const struct pipeline_spec *spec, struct buf *out)
{
    buf_puts(out, "\ntables = {\n"
                  "    \"queries\": queries,\n"
                  "    \"keys\": keys,\n"
                  "    \"values\": values,\n");
    if (spec->score == SCORE_ADDITIVE)
        buf_puts(out, "    \"W_q\": attention.W_q.weight,\n"
                      "    \"W_k\": attention.W_k.weight,\n"
                      "    \"w_v\": attention.w_v.weight,\n"
                      "    \"features\": attention.features,\n");
    else if (spec->score == SCORE_BILINEAR)
        buf_puts(out, "    \"W\": attention.W,\n");
    else
        buf_printf(out, "    \"W\": torch.eye(%zu),  # the bilinear form that a dot product is\n", spec->d_k);
    buf_puts(out, "    \"scores\": attention.scores,\n"
                  "    \"masked\": masked_scores(attention.scores, valid_lens),\n"
                  "    \"weights\": attention.attention_weights,\n"
                  "    \"kept\": attention.kept,\n"
                  "    \"output\": output,\n"
                  "}\n");
}

void pipeline_torch(const struct stage *stage, struct buf *out)
{
    const struct pipeline *const p = pipeline_of(stage);

    buf_putc(out, '\n');
    torch_masked_softmax(TORCH_FILL_NONE, out);
    buf_puts(out, "\n\n");
    put_dropout(p, (size_t)stage->values[PIPELINE_PASS].number, out);
    put_layer(p->spec.score, out);
    torch_seed(stage, out);
    put_inputs(stage, out);
    put_call(&p->spec, out);
    put_edits(p, out);
    buf_puts(out, "\noutput = attention(queries, keys, values, valid_lens)\n");
    put_tables(&p->spec, out);
}
