/* A file of separated values as a matrix, and the same bytes as labels. */
#include "input.h"

#include "data/csv_matrix.h"
#include "data/utf8.h"

static void check_labels(const struct labels *labels)
{
    char clean[LABEL_MAX];
    for (size_t i = 0; i < labels->n; i++) {
        const char *label = labels_at(labels, i);
        assert(strcmp(utf8_clean(clean, sizeof clean, label), label) == 0);
    }
}

static void check_error(const struct error *error)
{
    assert(error->status == STATUS_FAILED);
    assert(strncmp(error->text, "file.csv:", strlen("file.csv:")) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = input_text(bytes, n);
    struct csv_matrix matrix;
    struct labels labels;
    struct error error = {0};
    if (csv_matrix_parse("file.csv", text, n, &matrix, &error)) {
        assert(matrix.rows > 0 && matrix.cols > 0 && matrix.rows * matrix.cols <= n + 1);
        assert(matrix.row_label.n == 0 || matrix.row_label.n == matrix.rows);
        assert(matrix.col_label.n == 0 || matrix.col_label.n == matrix.cols);
        check_labels(&matrix.row_label);
        check_labels(&matrix.col_label);
    } else {
        check_error(&error);
        assert(!matrix.at);
    }
    csv_matrix_free(&matrix);
    if (labels_parse("file.csv", text, n, &labels, &error))
        check_labels(&labels);
    else
        check_error(&error);
    labels_free(&labels);
    free(text);
    return 0;
}
