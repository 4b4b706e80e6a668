#include "data/lang.h"

#include <string.h>

#include "data/asset.h"
#include "data/mo.h"

static enum lang chosen = LANG_EN;
static const struct asset *catalogue; /* NULL: the msgids are the texts */

void lang_choose(enum lang lang)
{
    static const char *const names[LANGS] = {[LANG_ZH] = "po/zh.mo"};
    chosen = lang;
    catalogue = names[lang] ? asset_find(names[lang]) : NULL;
}

enum lang lang_chosen(void)
{
    return chosen;
}

const char *lang_text(const char *text)
{
    /* The empty msgid is the catalogue's own header. */
    if (!catalogue || *text == '\0')
        return text;
    const char *translation = mo_find(catalogue->bytes, catalogue->size, text);
    return translation && *translation ? translation : text;
}

enum lang lang_of_locale(const char *name)
{
    if (!name || strncmp(name, "zh", 2) != 0)
        return LANG_EN;
    return name[2] == '\0' || strchr("_-.@:", name[2]) ? LANG_ZH : LANG_EN;
}
