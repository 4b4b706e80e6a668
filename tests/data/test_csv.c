#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "data/buf.h"
#include "data/csv.h"

static bool parse(const char *text, const char *x_column, const char *y_column, struct csv_points *points,
                  struct error *error)
{
    return csv_points_parse("f.csv", text, strlen(text), x_column, y_column, (struct progress){0}, points,
                            error);
}

static const struct good {
    const char *text;
    const char *x_column, *y_column;
    size_t n;
    double x[5], y[5];
    const char *x_name, *y_name;
    size_t n_missing, n_infinite;
} good[] = {
    /* byte order mark, line ends */
    {"\xEF\xBB\xBFx,y\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"x,y\r\n0,1\r\n1,3\r\n2,5", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"x,y\r0,1\r1,3\r2,5\r", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"\nx,y\n\n0,1\n1,3\n \t\n2,5\n\n\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    /* separators and decimal signs */
    {"x;y\n0,5;1,25\n1,5;2,75\n2,5;4,25\n", "", "", 3, {0.5, 1.5, 2.5}, {1.25, 2.75, 4.25}, "x", "y", 0, 0},
    {"x\ty\n0,5\t1\n1\t2,75\n2,5\t4\n", "", "", 3, {0.5, 1, 2.5}, {1, 2.75, 4}, "x", "y", 0, 0},
    {"x;y\n0.5;1\n1;2.75\n2.5;4\n", "", "", 3, {0.5, 1, 2.5}, {1, 2.75, 4}, "x", "y", 0, 0},
    {"0,5;1\n1;2\n2;3\n", "", "", 3, {0.5, 1, 2}, {1, 2, 3}, "column 1", "column 2", 0, 0},
    {"x y\n0 1\n1  3\n 2 5 \n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"x,y,\n0,1,\n1,3,\n2,5,\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"x,y\n0,1,\n1,3\n2,5,\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"temp. (C);y\n0,5;1\n1;2\n2;3\n", "", "", 3, {0.5, 1, 2}, {1, 2, 3}, "temp. (C)", "y", 0, 0},
    {"3,5 4,5\n1,5 2,25\n0,5 1\n", "", "", 3, {3.5, 1.5, 0.5}, {4.5, 2.25, 1}, "column 1", "column 2", 0, 0},
    {"x y\n3,5 4,5\n1,5  2,25\n 0,5 NA\n4 5\n", "", "", 3, {3.5, 1.5, 4}, {4.5, 2.25, 5}, "x", "y", 1, 0},
    {"x, y\n0, 1\n1, 3\n2, 5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"x , y\n0 , 1\n1 , 3\n2 , 5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"\"x\",\"y\"\n\"1,5\",2\n\"2,5\",\"3,25\"\n3,4\n",
     "",
     "",
     3,
     {1.5, 2.5, 3},
     {2, 3.25, 4},
     "x",
     "y",
     0,
     0},
    {"\"1,5\" \"2\"\n2,5 3,5\n3,5 4\n",
     "",
     "",
     3,
     {1.5, 2.5, 3.5},
     {2, 3.5, 4},
     "column 1",
     "column 2",
     0,
     0},
    /* thousands in a column that nobody uses do no harm */
    {"town,people,x,y\nBonn,\"331,885\",0.5,1\nUlm,\"128,928\",1.5,3\nKiel,\"246,243\",2.5,5\n",
     "x",
     "y",
     3,
     {0.5, 1.5, 2.5},
     {1, 3, 5},
     "x",
     "y",
     0,
     0},
    /* comments before the rows, and names that look like some */
    {"# measured by Ann; x in m, y in s\n#\n\nx,y\n0,1\n1,3\n2,5\n",
     "",
     "",
     3,
     {0, 1, 2},
     {1, 3, 5},
     "x",
     "y",
     0,
     0},
    {"\xEF\xBB\xBF# a\r\n0;1,5\r\n1;3\r\n2;5\r\n",
     "",
     "",
     3,
     {0, 1, 2},
     {1.5, 3, 5},
     "column 1",
     "column 2",
     0,
     0},
    /* numpy.savetxt(header=...) */
    {"# x,y\n0,1\n1,3\n2,5\n", "x", "y", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"# a b c\n0 1 7\n1 3 8\n2 5 9\n", "c", "a", 3, {7, 8, 9}, {0, 1, 2}, "c", "a", 0, 0},
    {"# by Ann, 2020\r\n#long name; y\r\n0;1,5\r\n1;3\r\n2;5\r\n",
     "y",
     "long name",
     3,
     {1.5, 3, 5},
     {0, 1, 2},
     "y",
     "long name",
     0,
     0},
    {"# y\n1\n4\n9\n", "", "y", 3, {1, 2, 3}, {1, 4, 9}, "row", "y", 0, 0},
    /* and comments that are none */
    {"# by Ann\n1\n4\n9\n", "", "", 3, {1, 2, 3}, {1, 4, 9}, "row", "column 1", 0, 0},
    {"# 2,3\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "column 1", "column 2", 0, 0},
    {"# a,b\n# by Ann\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "column 1", "column 2", 0, 0},
    {"# a,b,c\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "column 1", "column 2", 0, 0},
    {"# a,b\nx,y\n0,1\n1,3\n2,5\n", "x", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y", 0, 0},
    {"# a,\"b\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "column 1", "column 2", 0, 0},
    {"#,y\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "#", "y", 0, 0},
    /* columns of words */
    {"name,age,height\nAnn,30,170\nBob,40,180\nEve,50,160\n",
     "",
     "",
     3,
     {30, 40, 50},
     {170, 180, 160},
     "age",
     "height",
     0,
     0},
    {"day,x,note,y\n2020-01-01,1,a,2\n2020-01-02,2,b,4\n2020-01-03,3,,6\n",
     "",
     "",
     3,
     {1, 2, 3},
     {2, 4, 6},
     "x",
     "y",
     0,
     0},
    {"name age height\nAnn 30 170\nBob 40 180\nEve 50 160\n",
     "",
     "",
     3,
     {30, 40, 50},
     {170, 180, 160},
     "age",
     "height",
     0,
     0},
    {"Ann,30,170\nBob,40,180\nEve,50,160\n",
     "",
     "",
     3,
     {30, 40, 50},
     {170, 180, 160},
     "column 2",
     "column 3",
     0,
     0},
    {"name,age,height\nAnn,30,170\nBob,40,180\nEve,50,160\n",
     "height",
     "",
     3,
     {170, 180, 160},
     {30, 40, 50},
     "height",
     "age",
     0,
     0},
    /* quotes */
    {"x,\"y, long\nname\"\n0,1\n\"1\",3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "x", "y, long name", 0, 0},
    {"\"say \"\"x\"\"\",y\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "say \"x\"", "y", 0, 0},
    /* gaps */
    {"x,y\n0,1\n1,\n2,5\n,7\n4,9\n", "", "", 3, {0, 2, 4}, {1, 5, 9}, "x", "y", 2, 0},
    {"x,y\n0,NA\n1,n/a\n2,Null\n3,NaN\n4,1\n5,2\n6,4\n", "", "", 3, {4, 5, 6}, {1, 2, 4}, "x", "y", 4, 0},
    {"x,y\n0,-\n--,2\n2,\u2013\n3,-1\n4,1\n5,2\n", "", "", 3, {3, 4, 5}, {-1, 1, 2}, "x", "y", 3, 0},
    {"0,\n1,2\n2,3\n3,5\n", "", "", 3, {1, 2, 3}, {2, 3, 5}, "column 1", "column 2", 1, 0},
    {"0,NA\n1,2\n2,3\n3,5\n", "", "", 3, {1, 2, 3}, {2, 3, 5}, "column 1", "column 2", 1, 0},
    {"x,y\n0,inf\n-Infinity,1\n1,-inf\n4,1\n5,2\n6,4\n", "", "", 3, {4, 5, 6}, {1, 2, 4}, "x", "y", 0, 3},
    {"x,y\ninf,\n4,1\n5,2\n6,4\n", "", "", 3, {4, 5, 6}, {1, 2, 4}, "x", "y", 1, 0},
    /* the file's order */
    {"x,y\n3,9\n1,1\n2,4\n0,0\n", "", "", 4, {3, 1, 2, 0}, {9, 1, 4, 0}, "x", "y", 0, 0},
    {"x,y\n0,0\n1,1\n2,4\n3,9\n4,16\n", "", "", 5, {0, 1, 2, 3, 4}, {0, 1, 4, 9, 16}, "x", "y", 0, 0},
    {"\u6E29\u5EA6,\u4EA7\u91CF\n0,1\n1,3\n2,5\n3,4\n4,6\n",
     "",
     "",
     5,
     {0, 1, 2, 3, 4},
     {1, 3, 5, 4, 6},
     "\u6E29\u5EA6",
     "\u4EA7\u91CF",
     0,
     0},
    /* columns by name, by number, by default */
    {"a,b,c\n0,1,7\n1,3,8\n2,5,9\n", "c", "a", 3, {7, 8, 9}, {0, 1, 2}, "c", "a", 0, 0},
    {"a,b,c\n0,1,7\n1,3,8\n2,5,9\n", "3", "1", 3, {7, 8, 9}, {0, 1, 2}, "c", "a", 0, 0},
    {"0,1,7\n1,3,8\n2,5,9\n", "3", "1", 3, {7, 8, 9}, {0, 1, 2}, "column 3", "column 1", 0, 0},
    {"a,b,c\n0,1,7\n1,3,8\n2,5,9\n", "b", "", 3, {1, 3, 5}, {0, 1, 2}, "b", "a", 0, 0},
    {"a,b,c\n0,1,7\n1,3,8\n2,5,9\n", "c", "", 3, {7, 8, 9}, {1, 3, 5}, "c", "b", 0, 0},
    {"a,b,c\n0,1,7\n1,3,8\n2,5,9\n", "", "a", 3, {1, 3, 5}, {0, 1, 2}, "b", "a", 0, 0},
    {"a,b,c\n0,1,7\n1,3,8\n2,5,9\n", "", "c", 3, {0, 1, 2}, {7, 8, 9}, "a", "c", 0, 0},
    {"x,\"y, long\nname\"\n0,1\n1,3\n2,5\n",
     "y, long name",
     "x",
     3,
     {1, 3, 5},
     {0, 1, 2},
     "y, long name",
     "x",
     0,
     0},
    {"id,1,2\nu,5,1\nv,6,3\nw,7,5\n", "1", "2", 3, {5, 6, 7}, {1, 3, 5}, "1", "2", 0, 0},
    {"setosa,5,1\nsetosa,6,3\nvirginica,7,5\n",
     "2",
     "3",
     3,
     {5, 6, 7},
     {1, 3, 5},
     "column 2",
     "column 3",
     0,
     0},
    {",y\n1,2\n2,3\n3,5\n", "", "", 3, {1, 2, 3}, {2, 3, 5}, "column 1", "y", 0, 0},
    /* one column is y over the row's number, and rows left out keep their number */
    {"y\n1\n4\n9\n", "", "", 3, {1, 2, 3}, {1, 4, 9}, "row", "y", 0, 0},
    {"1\nNA\n4\n9", "", "", 3, {1, 3, 4}, {1, 4, 9}, "row", "column 1", 1, 0},
    {"wet weight\n1\n4\n9\n", "", "wet weight", 3, {1, 2, 3}, {1, 4, 9}, "row", "wet weight", 0, 0},
    /* no header moves the cursor */
    {"\x1b[2Jx,\xff\n0,1\n1,3\n2,5\n", "", "", 3, {0, 1, 2}, {1, 3, 5}, "\uFFFD[2Jx", "\uFFFD", 0, 0},
};

static void test_reads_files_as_people_have_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const struct good *expected = &good[i];
        struct csv_points points;
        struct error error = {0};
        if (!parse(expected->text, expected->x_column, expected->y_column, &points, &error))
            fail_msg("%s in: %s", error.text, expected->text);
        assert_int_equal(points.n, expected->n);
        for (size_t k = 0; k < points.n; k++) {
            if (points.x[k] != expected->x[k] || points.y[k] != expected->y[k])
                fail_msg("point %zu is %g, %g in: %s", k, points.x[k], points.y[k], expected->text);
        }
        char name[CSV_NAME];
        assert_string_equal(csv_column_name(&points.guess.x, name), expected->x_name);
        assert_string_equal(csv_column_name(&points.guess.y, name), expected->y_name);
        assert_int_equal(points.guess.missing.n, expected->n_missing);
        assert_int_equal(points.guess.infinite.n, expected->n_infinite);
        csv_points_free(&points);
        assert_null(points.x);
    }
}

static void test_refuses_with_the_place_and_the_reason(void **state)
{
    static const struct {
        const char *text;
        const char *x_column, *y_column;
        enum status status;
        const char *error;
    } bad[] = {
        {"", "", "", STATUS_FAILED, "f.csv: empty, expected rows of numbers"},
        {"\n \n", "", "", STATUS_FAILED, "f.csv: empty, expected rows of numbers"},
        {"x,y\n0,1\n1,3\n", "", "", STATUS_FAILED, "f.csv: rows with numbers: 2 of 2, expected at least 3"},
        {"x,y\n0,1\n1,\n2,NA\n", "", "", STATUS_FAILED,
         "f.csv: rows with numbers: 1 of 3, expected at least 3"},
        {"x,y\n2,1\n2,3\n2,5\n", "", "", STATUS_FAILED,
         "f.csv: x is 2 in all 3 rows, expected different values"},
        {"x,y\n-1e308,1\n1e308,3\n2,5\n", "", "", STATUS_FAILED,
         "f.csv: x reaches from -1e+308 to 1e+308, which is too far for a number"},
        {"x,y\n1,-1e308\n2,3\n3,1e308\n", "", "", STATUS_FAILED,
         "f.csv: y reaches from -1e+308 to 1e+308, which is too far for a number"},
        {"x,y\n0,1\n1,abc\n2,5\n", "", "", STATUS_FAILED, "f.csv:3: 'abc' is no number"},
        {"x,\"y\nz\"\n0,1\n1,abc\n2,5\n", "", "", STATUS_FAILED, "f.csv:4: 'abc' is no number"},
        {"0.7,0.3,0\n0.2,0.8\n0.1,0.1,0.8\n", "", "", STATUS_FAILED, "f.csv:2: only 2 of 3 fields"},
        {"x,y\n0,1\n1,3,4\n2,5\n", "", "", STATUS_FAILED, "f.csv:3: 3 fields, expected 2"},
        {"x,y\n0,\"1\n1,3\n2,5\n", "", "", STATUS_FAILED, "f.csv:2: a quote that is never closed"},
        {"x;y\n1,500;2.5\n2;3\n3;4\n", "", "", STATUS_FAILED,
         "f.csv:2: decimal points and commas, expected one of them (a point in line 2, a comma in line 2)"},
        {"x;y;z\n1,500;2;2\n2;3;3\n3;4;4.5\n", "", "", STATUS_FAILED,
         "f.csv:4: decimal points and commas, expected one of them (a point in line 4, a comma in line 2)"},
        /* thousands are never guessed */
        {"x;y\n1.234,5;1\n2;3\n3;4\n", "", "", STATUS_FAILED,
         "f.csv:2: '1.234,5' is no number: thousands separators are not read"},
        {"x,y\n1,\"12,345.5\"\n2,3\n3,4\n", "", "", STATUS_FAILED,
         "f.csv:2: '12,345.5' is no number: thousands separators are not read"},
        {"x,y\n1,-1 234 567\n2,3\n3,4\n", "", "", STATUS_FAILED,
         "f.csv:2: '-1 234 567' is no number: thousands separators are not read"},
        {"x;y\n1;1\u202f234\n2;3\n3;4\n", "", "", STATUS_FAILED,
         "f.csv:2: '1\u202f234' is no number: thousands separators are not read"},
        {"x,y\n1,\"1,500\"\n2,\"900\"\n3,4\n", "", "", STATUS_FAILED,
         "f.csv:2: '1,500' is no number: thousands separators are not read"},
        {"x,y\n1,\"0,500\"\n2,2.5\n3,4\n", "", "", STATUS_FAILED,
         "f.csv:3: decimal points and commas, expected one of them (a point in line 3, a comma in line 2)"},
        {"x,y\n0,1\n1,1e400\n2,5\n", "", "", STATUS_FAILED,
         "f.csv:3: '1e400' is too large, expected numbers up to 1.79e308"},
        {"-1e400;1\n2;3\n3;4\n", "", "", STATUS_FAILED,
         "f.csv:1: '-1e400' is too large, expected numbers up to 1.79e308"},
        {"x;y\n1;1,8e308\n2;3\n3;4\n", "", "", STATUS_FAILED,
         "f.csv:2: '1,8e308' is too large, expected numbers up to 1.79e308"},
        {"x;y\n1.2.3;1\n2;3\n3;4\n", "", "", STATUS_FAILED, "f.csv:2: '1.2.3' is no number"},
        {"x;y\n1234.567.8;1\n2;3\n3;4\n", "", "", STATUS_FAILED, "f.csv:2: '1234.567.8' is no number"},
        /* other columns may be meant */
        {"name,city,age\nAnn,Bonn,30\nBob,Ulm,40\nEve,Kiel,50\n", "", "", STATUS_FAILED,
         "f.csv:2: 'Ann' is no number; x=... and y=... choose columns"},
        {"name,age,height\nAnn,30,170\nBob,40,180\nEve,50,160\n", "name", "", STATUS_FAILED,
         "f.csv:2: 'Ann' is no number; x=... and y=... choose columns"},
        {"name,age\nAnn,30\nBob,40\nEve,50\n", "", "", STATUS_FAILED, "f.csv:2: 'Ann' is no number"},
        /* a slip of the hand is no column of words */
        {"x,y,z\n0,1,1\n1,abc,2\n2,5,3\n", "", "", STATUS_FAILED,
         "f.csv:3: 'abc' is no number; x=... and y=... choose columns"},
        {"# nothing else\n#\n", "", "", STATUS_FAILED, "f.csv: empty, expected rows of numbers"},
        /* bytes of another encoding */
        {"Gr\xf6\xdf"
         "e,y\n0,1\n1,3\n2,5\n",
         "z", "", STATUS_USAGE, "f.csv: no column 'z', expected Gr\uFFFD\uFFFDe or y"},
        {"x,y\n0,\xb5\n1,3\n2,5\n", "", "", STATUS_FAILED, "f.csv:2: '\uFFFD' is no number"},
        {"time,accel\n0,1\n1,3\n2,5\n", "tiem", "", STATUS_USAGE,
         "f.csv: no column 'tiem', expected time or accel"},
        {"time,accel\n0,1\n1,3\n2,5\n", "", "3", STATUS_USAGE,
         "f.csv: no column '3', expected time or accel"},
        {"time,accel\n0,1\n1,3\n2,5\n", "0", "", STATUS_USAGE,
         "f.csv: no column '0', expected time or accel"},
        {"time,accel\n0,1\n1,3\n2,5\n", "1.5", "", STATUS_USAGE,
         "f.csv: no column '1.5', expected time or accel"},
        {"time,accel\n0,1\n1,3\n2,5\n", "nan", "", STATUS_USAGE,
         "f.csv: no column 'nan', expected time or accel"},
        {"0,1\n1,3\n2,5\n", "x", "", STATUS_USAGE,
         "f.csv: no column 'x', expected 1 to 2 (there is no header)"},
        {"y\n1\n2\n3\n", "y", "", STATUS_FAILED, "f.csv: one column, expected two"},
        {"x,y\n0,\x1b]0;owned\x07\n1,3\n2,5\n", "", "", STATUS_FAILED,
         "f.csv:2: '\uFFFD]0;owned\uFFFD' is no number"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct csv_points points;
        struct error error = {0};
        assert_false(parse(bad[i].text, bad[i].x_column, bad[i].y_column, &points, &error));
        assert_string_equal(error.text, bad[i].error);
        assert_int_equal(error.status, bad[i].status);
        assert_null(points.x);
        assert_int_equal(points.n, 0);
    }
}

static void test_suggests_the_nearest_columns(void **state)
{
    struct csv_points points;
    struct error error = {0};
    (void)state;
    assert_false(
        parse("id,waiting,eruptions,day,hour,who,note\n1,2,3,4,5,6,7\n", "eruption", "", &points, &error));
    assert_string_equal(error.text, "f.csv: no column 'eruption', expected eruptions");
}

static void test_refuses_what_is_no_text(void **state)
{
    static const char utf16[] = "\xFF\xFEx\0,\0y\0\n\0", nul[] = "x,y\n0,1\n1,\0\n";
    struct csv_points points;
    struct error error = {0};
    (void)state;
    assert_false(
        csv_points_parse("f.csv", utf16, sizeof utf16 - 1, "", "", (struct progress){0}, &points, &error));
    assert_string_equal(error.text, "f.csv: UTF-16 text, expected UTF-8");
    assert_false(
        csv_points_parse("f.csv", nul, sizeof nul - 1, "", "", (struct progress){0}, &points, &error));
    assert_string_equal(error.text, "f.csv:3: a NUL byte, expected text in UTF-8");
}

static void test_says_what_it_guessed(void **state)
{
    static const struct {
        const char *text, *note;
    } cases[] = {
        {"x,y\n0,1\n1,3\n2,5\n", "comma-separated, header; x = x, y = y"},
        {"0;1,5\n1;3\n2;5\n", "semicolon-separated, decimal comma, no header; x = column 1, y = column 2"},
        {"t\ty\n0\t1\n1\t\n2\t5\n3\t\n4\tinf\n5\t6\n",
         "tab-separated, header; x = t, y = y; left out as missing: 2 (lines 3, 5); left out as infinite: 1 "
         "(line 6)"},
        {"y\n1\n\n2\nNA\nNA\nNA\nNA\n3\n",
         "one column, header; x = row, y = y; left out as missing: 4 (lines 5, 6, 7, ...)"},
        {"# by Ann\n# and Bob\nname,age,city,height\nAnn,30,Bonn,170\nBob,40,Ulm,180\nEve,50,Kiel,160\n",
         "comma-separated, header; x = age, y = height; passed over as words: name, ...; comment lines "
         "skipped: 2"},
        {"# by Ann\n# x,y\n0,1\n1,3\n2,5\n",
         "comma-separated, header; x = x, y = y; comment lines skipped: 1"},
        {"Gr\xf6\xdf"
         "e,y\n0,1\n1,3\n2,5\n",
         "comma-separated, header; x = Gr\uFFFD\uFFFDe, y = y"},
        {"x y\n3,5 4\n1 2\n2 5\n", "blank-separated, decimal comma, header; x = x, y = y"},
        {"\"1,5\",2\n2,3\n3,4\n", "comma-separated, decimal comma, no header; x = column 1, y = column 2"},
        {"1 2\n3 4\n5 6\n", "blank-separated, no header; x = column 1, y = column 2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct csv_points points;
        assert_true(parse(cases[i].text, "", "", &points, NULL));
        char note[256];
        assert_string_equal(csv_guess_text(&points.guess, note, sizeof note), cases[i].note);
        csv_points_free(&points);
    }
}

static void test_fields_of_any_length(void **state)
{
    struct buf text = {0};
    struct csv_points points;
    struct error error = {0};
    (void)state;
    for (size_t i = 0; i < 100000; i++)
        buf_puts(&text, "\u6E29");
    buf_puts(&text, ",y\n");
    for (size_t i = 0; i < 100000; i++)
        buf_putc(&text, '0');
    buf_puts(&text, "1,1\n2,2\n3,");
    size_t good_length = text.len;
    buf_puts(&text, "3\n");
    assert_true(parse(text.at, "", "", &points, &error));
    assert_true(points.x[0] == 1 && points.y[2] == 3);
    assert_int_equal(strlen(points.guess.x.header), 63);
    csv_points_free(&points);
    text.len = good_length;
    for (size_t i = 0; i < 100000; i++)
        buf_putc(&text, 'z');
    assert_false(parse(text.at, "", "", &points, &error));
    assert_true(strlen(error.text) < 100);
    buf_free(&text);
}

/* The promise is about a second; ten leave room for a sanitizer or a busy machine. */
static void test_a_million_rows(void **state)
{
    enum { ROWS = 1000000 };
    struct buf text = {0};
    struct csv_points points;
    (void)state;
    buf_puts(&text, "x,y\n");
    for (int i = 0; i < ROWS; i++)
        buf_printf(&text, "%d.%03d,0.%d\n", i / 7, i % 1000, 123456789 + i);
    clock_t start = clock();
    assert_true(csv_points_parse("f.csv", text.at, text.len, "", "", (struct progress){0}, &points, NULL));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(points.n, ROWS);
    assert_true(points.y[ROWS - 1] == 0.124456788);
    assert_true(seconds < 10);
    csv_points_free(&points);
    buf_free(&text);
}

/* Text on which a reader that goes back would take hours. */
static void test_takes_linear_time(void **state)
{
    static const char *const pieces[] = {"\"", "\"\"", "\",",     ",\"", "\n\"", "\"\n", " ",
                                         "\r", ",",    "1,\"2\n", "a,",  "#\n",  "- "};
    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct buf text = {0};
        struct csv_points points;
        buf_puts(&text, "x,y\n");
        while (text.len < 2000000)
            buf_puts(&text, pieces[i]);
        clock_t start = clock();
        assert_false(parse(text.at, "", "", &points, NULL));
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
        buf_free(&text);
    }
}

/* Counts how often it is asked, and stops at the LAST time. */
struct patience {
    size_t n, last, done;
};

static bool count(void *context, size_t done, size_t total)
{
    struct patience *patience = context;
    assert_true(done >= patience->done && done <= total);
    patience->done = done;
    return ++patience->n != patience->last;
}

static void test_tells_its_progress(void **unused)
{
    (void)unused;
    struct buf text = {0};
    for (int i = 0; i < 20000; i++)
        buf_printf(&text, "%d,%d\n", i, i % 7);
    struct csv_points points;
    struct error error;
    struct patience patience = {0};
    assert_true(csv_points_parse("f.csv", text.at, text.len, "", "", (struct progress){count, &patience},
                                 &points, NULL));
    assert_true(patience.n >= 4 && patience.n < 100);
    csv_points_free(&points);
    patience = (struct patience){.last = 3};
    assert_false(csv_points_parse("f.csv", text.at, text.len, "", "", (struct progress){count, &patience},
                                  &points, &error));
    assert_int_equal(patience.n, 3);
    assert_null(points.x);
    assert_non_null(strstr(error.text, "stopped"));
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tells_its_progress),
        cmocka_unit_test(test_reads_files_as_people_have_them),
        cmocka_unit_test(test_refuses_with_the_place_and_the_reason),
        cmocka_unit_test(test_suggests_the_nearest_columns),
        cmocka_unit_test(test_refuses_what_is_no_text),
        cmocka_unit_test(test_says_what_it_guessed),
        cmocka_unit_test(test_fields_of_any_length),
        cmocka_unit_test(test_a_million_rows),
        cmocka_unit_test(test_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
