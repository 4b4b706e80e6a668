/* embed OUTPUT NAME=FILE...: writes a C file that defines `assets`, sorted by name. Runs while building. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A string literal compiles many times faster than a list of numbers. Octal escapes of three digits need no
 * look at what follows; the question mark is escaped for the sake of trigraphs. */
static void put_byte(FILE *out, int byte)
{
    if (byte == '"' || byte == '\\' || byte == '?')
        fprintf(out, "\\%c", byte);
    else if (byte >= ' ' && byte <= '~')
        fputc(byte, out);
    else
        fprintf(out, "\\%03o", (unsigned)byte);
}

static bool embed(FILE *out, size_t index, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) {
        perror(path);
        return false;
    }
    fprintf(out, "\nstatic const unsigned char bytes_%zu[] = \"\"", index);
    unsigned char line[64];
    size_t n;
    while ((n = fread(line, 1, sizeof line, in)) > 0) {
        fputs("\n    \"", out);
        for (size_t i = 0; i < n; i++)
            put_byte(out, line[i]);
        fputc('"', out);
    }
    fputs(";\n", out);
    bool done = !ferror(in);
    fclose(in);
    return done;
}

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* PAIRS are NAME=FILE; the equals sign becomes the NUL that ends the name, so that names sort as strings. */
static bool embed_all(FILE *out, char **pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *equals = strchr(pairs[i], '=');
        if (!equals) {
            fprintf(stderr, "%s: expected NAME=FILE\n", pairs[i]);
            return false;
        }
        *equals = '\0';
    }
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    fputs("/* Made by assets/embed.c. */\n#include \"data/asset.h\"\n\n", out);
    fputs("#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n", out);
    for (size_t i = 0; i < n; i++) {
        if (!embed(out, i, pairs[i] + strlen(pairs[i]) + 1))
            return false;
    }
    fputs("\nconst struct asset assets[] = {\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "    {\"%s\", bytes_%zu, sizeof bytes_%zu - 1},\n", pairs[i], i, i);
    fprintf(out, "};\n\nconst size_t n_assets = %zu;\n", n);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: embed OUTPUT NAME=FILE...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "wb");
    if (!out) {
        perror(argv[1]);
        return 1;
    }
    bool done = embed_all(out, argv + 2, (size_t)argc - 2) && !ferror(out);
    if (fclose(out) != 0 || !done) {
        remove(argv[1]);
        return 1;
    }
    return 0;
}
