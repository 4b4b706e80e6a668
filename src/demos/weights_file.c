#include "demos/weights_file.h"

#include <stdlib.h>
#include <string.h>

#include "data/buf.h"
#include "data/utf8.h"
#include "engine/mem.h"

static bool open_npy(struct weights_file *file, const struct source *source, struct error *error)
{
    if (!npy_open(source->name, source->bytes, source->n, &file->npy, error))
        return false;
    const struct npy *npy = &file->npy;
    file->is_npy = true;
    file->rank = npy->rank;
    file->layers = npy->rank >= 5 ? npy->shape[npy->rank - 5] : 1;
    file->items = npy->rank >= 4 ? npy->shape[npy->rank - 4] : 1;
    file->heads = npy->rank >= 3 ? npy->shape[npy->rank - 3] : 1;
    file->queries = npy->queries;
    file->keys = npy->keys;
    return true;
}

static bool open_csv(struct weights_file *file, const struct source *source, struct error *error)
{
    if (!csv_matrix_parse(source->name, source->bytes, source->n, &file->csv, error))
        return false;
    file->rank = 2;
    file->layers = file->items = file->heads = 1;
    file->queries = file->csv.rows;
    file->keys = file->csv.cols;
    return true;
}

struct weights_file *weights_file_open(const struct source *source, struct error *error)
{
    struct weights_file *file = mem_new(1, sizeof *file);
    bool is_binary = npy_is(source->bytes, source->n) || npy_is_archive(source->bytes, source->n);
    file->users = 1;
    if ((is_binary ? open_npy : open_csv)(file, source, error))
        return file;
    weights_file_release(file);
    return NULL;
}

static void describe_npy(const struct npy *npy, struct buf *out)
{
    buf_printf(out, "%s (", npy->type_name);
    for (size_t i = 0; i < npy->rank; i++)
        buf_printf(out, i > 0 ? ", %zu" : "%zu", npy->shape[i]);
    buf_puts(out, npy->rank == 1 ? ",)" : ")");
}

char *weights_file_text(const struct weights_file *file, char *out, size_t size)
{
    struct buf text = {0};
    char guess[128];
    if (file->is_npy)
        describe_npy(&file->npy, &text);
    else
        buf_printf(&text, "%s (%zu, %zu)", csv_matrix_text(&file->csv, guess, sizeof guess), file->queries,
                   file->keys);
    utf8_clean(out, size, text.at);
    buf_free(&text);
    return out;
}

struct weights_file *weights_file_share(struct weights_file *file)
{
    if (file)
        file->users++;
    return file;
}

void weights_file_release(struct weights_file *file)
{
    if (!file || --file->users > 0)
        return;
    csv_matrix_free(&file->csv);
    free(file);
}

void weights_file_read(const struct weights_file *file, size_t layer, size_t item, size_t head, double *out)
{
    if (file->is_npy)
        npy_panel(&file->npy, (layer * file->items + item) * file->heads + head, out);
    else
        memcpy(out, file->csv.at, file->queries * file->keys * sizeof *out);
}
