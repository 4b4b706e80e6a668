#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "terminal/state.h"

#include "data/utf8.h"
#include "session/session.h"

enum {
    ESC = 27,
    DELETE = 127,
    ESC_DELAY = 25,       /* ms: shorter than fingers, longer than a key's bytes are apart */
    PASTE_MAX = 64 << 10, /* bytes; the rest of a longer paste is dropped */
    KEYS_AT_ONCE = 1024,  /* then the screen gets its turn */
    MODIFIERS = 8,
    FIRST_OWN_KEY = 4096, /* above all codes that curses gives out by itself */
    PASTE_BEGIN = FIRST_OWN_KEY - 2,
    PASTE_END = FIRST_OWN_KEY - 1,
    FIRST_PAD_KEY = FIRST_OWN_KEY - 128, /* plus the character on the key */
};

/* Keys as xterm and its kin send them: ESC [ LETTER or ESC O LETTER, and ESC [ NUMBER ~; with modifiers
 * ESC [ 1 ; m LETTER and ESC [ NUMBER ; m ~, where m - 1 is the sum of 1 shift, 2 alt, 4 control. */
static const struct sent_key {
    const char *name;
    char letter; /* 0: none */
    int number;  /* 0: none */
} sent_keys[] = {
    {"Up", 'A', 0},   {"Down", 'B', 0},   {"Right", 'C', 0}, {"Left", 'D', 0}, {"Home", 'H', 1},
    {"Home", 0, 7},   {"End", 'F', 4},    {"End", 0, 8},     {"Insert", 0, 2}, {"Delete", 0, 3},
    {"PageUp", 0, 5}, {"PageDown", 0, 6}, {"F1", 'P', 11},   {"F2", 'Q', 12},  {"F3", 'R', 13},
    {"F4", 'S', 14},  {"F5", 0, 15},      {"F6", 0, 17},     {"F7", 0, 18},    {"F8", 0, 19},
    {"F9", 0, 20},    {"F10", 0, 21},     {"F11", 0, 23},    {"F12", 0, 24},   {"Tab", 'Z', 0},
};
enum { SENT_KEYS = sizeof sent_keys / sizeof *sent_keys };

/* The same keys where terminfo knew them already, or sends them in another way. */
static const struct {
    int code;
    const char *name;
} curses_keys[] = {
    {KEY_UP, "Up"},          {KEY_DOWN, "Down"},        {KEY_RIGHT, "Right"},
    {KEY_LEFT, "Left"},      {KEY_SR, "S-Up"},          {KEY_SF, "S-Down"},
    {KEY_SRIGHT, "S-Right"}, {KEY_SLEFT, "S-Left"},     {KEY_HOME, "Home"},
    {KEY_END, "End"},        {KEY_FIND, "Home"},        {KEY_SELECT, "End"},
    {KEY_SHOME, "S-Home"},   {KEY_SEND, "S-End"},       {KEY_IC, "Insert"},
    {KEY_DC, "Delete"},      {KEY_SDC, "S-Delete"},     {KEY_NPAGE, "PageDown"},
    {KEY_PPAGE, "PageUp"},   {KEY_SNEXT, "S-PageDown"}, {KEY_SPREVIOUS, "S-PageUp"},
    {KEY_BTAB, "S-Tab"},     {KEY_ENTER, "Enter"},      {KEY_BACKSPACE, "Backspace"},
};

static const struct {
    wint_t character;
    const char *name;
} named_characters[] = {
    {' ', "space"}, {'\r', "Enter"},       {'\n', "Enter"},     {'\t', "Tab"},
    {ESC, "Esc"},   {DELETE, "Backspace"}, {'\b', "Backspace"},
};

static void define(const char *sequence, int code)
{
    int known = key_defined(sequence);
    if (known == 0 || known > KEY_MAX)
        define_key(sequence, code);
}

static void define_sent_key(int i)
{
    const struct sent_key *key = &sent_keys[i];
    char sequence[16];
    for (int m = 0; m < MODIFIERS; m++) {
        int code = FIRST_OWN_KEY + i * MODIFIERS + m;
        if (key->letter && m == 0) {
            snprintf(sequence, sizeof sequence, "\033[%c", key->letter);
            define(sequence, code);
            snprintf(sequence, sizeof sequence, "\033O%c", key->letter);
            define(sequence, code);
        } else if (key->letter) {
            snprintf(sequence, sizeof sequence, "\033[1;%d%c", m + 1, key->letter);
            define(sequence, code);
        }
        if (key->number) {
            snprintf(sequence, sizeof sequence, m ? "\033[%d;%d~" : "\033[%d~", key->number, m + 1);
            define(sequence, code);
        }
    }
}

/* The number pad, where it sends ESC O and a letter: what is printed on the key, plus 0x40. Terminfo takes
 * five of these keys for a pad without numbers. */
static void define_number_pad(void)
{
    static const char letters[] = "Mjklmnopqrstuvwxy";
    for (const char *letter = letters; *letter; letter++) {
        const char sequence[] = {ESC, 'O', *letter, '\0'};
        define_key(sequence, FIRST_PAD_KEY + *letter - '@');
    }
}

/* Curses takes a nonsensical ESCDELAY for a second or more. */
static bool is_sensible_delay(const char *text)
{
    char *end = NULL;
    long ms = text ? strtol(text, &end, 10) : -1;
    return text && end != text && *end == '\0' && ms >= 0 && ms <= 1000;
}

void input_open(void)
{
    if (!is_sensible_delay(getenv("ESCDELAY")))
        set_escdelay(ESC_DELAY);
    terminal.keys = newpad(1, 1);
    keypad(terminal.keys, TRUE);
    nodelay(terminal.keys, TRUE);
    for (int i = 0; i < SENT_KEYS; i++)
        define_sent_key(i);
    define_number_pad();
    define_key("\033[200~", PASTE_BEGIN);
    define_key("\033[201~", PASTE_END);
}

static void name_own_key(int code, char *out, size_t size)
{
    int own = code - FIRST_OWN_KEY, m = own % MODIFIERS;
    const char *name = sent_keys[own / MODIFIERS].name;
    bool is_back_tab = strcmp(name, "Tab") == 0;
    snprintf(out, size, "%s%s%s%s", m & 4 ? "C-" : "", m & 2 ? "M-" : "", m & 1 || is_back_tab ? "S-" : "",
             name);
}

/* The session's name of a function key; false for one that it has no name for. */
static bool name_function_key(int code, char *out, size_t size)
{
    if (code >= FIRST_OWN_KEY && code < FIRST_OWN_KEY + SENT_KEYS * MODIFIERS) {
        name_own_key(code, out, size);
        return true;
    }
    if (code > KEY_F0 && code <= KEY_F(12)) {
        snprintf(out, size, "F%d", code - KEY_F0);
        return true;
    }
    for (size_t i = 0; i < sizeof curses_keys / sizeof *curses_keys; i++) {
        if (curses_keys[i].code == code) {
            snprintf(out, size, "%s", curses_keys[i].name);
            return true;
        }
    }
    return false;
}

static void name_character(wint_t character, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof named_characters / sizeof *named_characters; i++) {
        if (named_characters[i].character == character) {
            snprintf(out, size, "%s", named_characters[i].name);
            return;
        }
    }
    char text[5];
    utf8_put(character < ' ' ? character + '`' : (uint32_t)character, text);
    snprintf(out, size, "%s%s", character < ' ' ? "C-" : "", text);
}

static void add_to_paste(wint_t character)
{
    char text[5];
    size_t n = utf8_put(character == '\r' ? '\n' : (uint32_t)character, text);
    if (character != 0 && terminal.paste.len + n <= PASTE_MAX)
        buf_add(&terminal.paste, text, n);
}

void input_end_paste(struct session *session)
{
    terminal.is_pasting = false;
    if (terminal.paste.len > 0)
        session_paste(session, terminal.paste.at);
    terminal.paste.len = 0;
}

/* Drops the rest of an escape sequence that is no known key, whose characters would otherwise act as keys. An
 * ESC that nothing follows, or a character that begins no sequence, is the Esc key. Returns what was read
 * beyond it, or WEOF. */
static wint_t after_escape(struct session *session)
{
    wint_t character;
    int kind = wget_wch(terminal.keys, &character);
    if (kind == OK && character == 'O') {
        wget_wch(terminal.keys, &character);
        return WEOF;
    }
    if (kind == OK && character == '[') {
        while (wget_wch(terminal.keys, &character) == OK && (character < '@' || character > '~'))
            ;
        return WEOF;
    }
    session_key(session, "Esc");
    if (kind == KEY_CODE_YES)
        ungetch((int)character);
    return kind == OK ? character : WEOF;
}

static void take_character(struct session *session, wint_t character)
{
    char name[32];
    if (terminal.is_pasting) {
        add_to_paste(character);
        return;
    }
    while (character == ESC)
        character = after_escape(session);
    if (character == WEOF || character == 0)
        return;
    name_character(character, name, sizeof name);
    session_key(session, name);
}

static void take_function_key(struct session *session, int code)
{
    char name[32];
    if (code == KEY_RESIZE)
        screen_fit();
    else if (code == PASTE_BEGIN)
        terminal.is_pasting = true;
    else if (code == PASTE_END)
        input_end_paste(session);
    else if (code >= FIRST_PAD_KEY && code < PASTE_BEGIN)
        take_character(session, (wint_t)(code - FIRST_PAD_KEY));
    else if (!terminal.is_pasting && name_function_key(code, name, sizeof name))
        session_key(session, name);
}

bool input_drain(struct session *session)
{
    for (int i = 0; i < KEYS_AT_ONCE; i++) {
        wint_t character;
        int kind = wget_wch(terminal.keys, &character);
        if (kind == ERR || session_is_over(session))
            return false;
        if (kind == KEY_CODE_YES)
            take_function_key(session, (int)character);
        else
            take_character(session, character);
    }
    return true;
}

bool input_is_gone(void)
{
    struct termios modes;
    if (tcgetattr(terminal.in, &modes) != 0)
        return true;
    struct pollfd input = {.fd = terminal.in, .events = POLLIN};
    if (poll(&input, 1, 0) <= 0)
        return false;
    int n;
    bool is_at_end = (input.revents & POLLIN) && ioctl(terminal.in, FIONREAD, &n) == 0 && n == 0;
    return is_at_end || (input.revents & (POLLHUP | POLLERR));
}
