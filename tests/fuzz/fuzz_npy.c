/* The bytes of an .npy file. */
#include "input.h"

#include "data/npy.h"
#include "data/utf8.h"

/* Every panel is as large as the file can back, and the sanitizer watches the reads. */
static void read_panels(const struct npy *npy, size_t n)
{
    assert(npy->rank >= 1 && npy->rank <= NPY_RANK_MAX);
    assert(npy->queries * npy->keys <= n && npy->panels <= n);
    double *at = malloc(npy->queries * npy->keys * sizeof *at);
    assert(at);
    for (size_t panel = 0; panel < npy->panels; panel++)
        npy_panel(npy, panel, at);
    free(at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    /* Exactly N bytes, no NUL behind them. */
    char *copy = malloc(n > 0 ? n : 1);
    assert(copy);
    if (n > 0)
        memcpy(copy, bytes, n);
    struct npy npy;
    struct error error = {0};
    if (npy_open("file.npy", copy, n, &npy, &error)) {
        assert(npy_is(copy, n));
        read_panels(&npy, n);
    } else {
        char clean[sizeof error.text];
        assert(error.status == STATUS_FAILED);
        assert(strncmp(error.text, "file.npy: ", strlen("file.npy: ")) == 0);
        assert(strcmp(utf8_clean(clean, sizeof clean, error.text), error.text) == 0);
    }
    free(copy);
    return 0;
}
