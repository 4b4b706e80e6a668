/* The program's languages: gettext's _() over catalogues that are embedded in the binary.
 *
 * Why not libintl itself: it reads catalogues from files only, is silent in the C locale, and cannot change
 * while running; the program must be one file that speaks Chinese in any locale. The catalogues are gettext's
 * own (.po in assets/po, compiled by msgfmt), so translators keep their tools. Like setlocale's, the choice
 * is the process's: this is the only state outside terminal/ that is not passed as an argument. */
#ifndef ATTNLAB_DATA_LANG_H
#define ATTNLAB_DATA_LANG_H

#include <stdbool.h>
#include <stddef.h>

enum lang { LANG_EN, LANG_ZH, LANGS };

/* Marks a text for translation and translates it now. */
#define _(text) lang_text(text)
/* Marks a text in a table, translated when it is shown. */
#define N_(text) (text)

/* Chooses the language of all texts from now on. */
void lang_choose(enum lang lang);
enum lang lang_chosen(void);

/* The translation of TEXT (a msgid), or TEXT itself. Never freed. */
const char *lang_text(const char *text) __attribute__((format_arg(1)));

/* The language that a POSIX locale name asks for: "zh_CN.UTF-8" -> LANG_ZH, all others LANG_EN. NULL is
 * allowed. */
enum lang lang_of_locale(const char *name);

#endif
