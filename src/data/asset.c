#include "data/asset.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/file.h"
#include "data/lang.h"

static int compare_names(const void *name, const void *asset)
{
    return strcmp(name, ((const struct asset *)asset)->name);
}

const struct asset *asset_find(const char *name)
{
    return bsearch(name, assets, n_assets, sizeof *assets, compare_names);
}

bool asset_data_set(const struct asset *asset, struct buf *out)
{
    static const char before[] = "data/", after[] = ".csv";
    const size_t n = strlen(asset->name), around = sizeof before - 1 + sizeof after - 1;
    if (n <= around || strncmp(asset->name, before, sizeof before - 1) != 0 ||
        strcmp(asset->name + n - (sizeof after - 1), after) != 0)
        return false;
    buf_add(out, asset->name + sizeof before - 1, n - around);
    return true;
}

bool asset_read(const char *directory, const char *name, struct buf *out, struct error *error)
{
    if (directory && *directory) {
        struct buf path = {0};
        buf_printf(&path, "%s/%s", directory, name);
        bool exists = access(path.at, F_OK) == 0;
        bool done = exists && file_read(path.at, out, error);
        buf_free(&path);
        if (exists)
            return done;
    }
    const struct asset *asset = asset_find(name);
    if (!asset)
        return error_set(error, STATUS_FAILED, _("%s: the program has no such file"), name);
    buf_add(out, asset->bytes, asset->size);
    return true;
}
