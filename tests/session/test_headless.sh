#!/bin/sh
# Drives the program from outside as a script would: statuses, messages, files written whole or not at all, pipes that
# close, and the same bytes in every locale.
#   test_headless.sh ATTNLAB
set -u
case $1 in
/*) attnlab=$1 ;;
*) attnlab=$PWD/$1 ;;
esac
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
unset TERM NO_COLOR ATTNLAB_ASSETS LANGUAGE LC_MESSAGES LANG
export LC_ALL=C
failures=0

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}

# gives STATUS PATTERN ARGUMENT...: the status, and one line on standard error that matches PATTERN (none if it is '').
gives() {
    wanted=$1 pattern=$2
    shift 2
    "$attnlab" "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq "$wanted" ] || fail "$* : status $status, not $wanted"
    if [ -z "$pattern" ]; then
        [ ! -s err ] || fail "$* : $(cat err)"
        return
    fi
    [ "$(wc -l <err)" -eq 1 ] || fail "$* : $(wc -l <err) lines on standard error"
    grep -q "^attnlab: .*$pattern" err || fail "$* : \"$(cat err)\" does not match $pattern"
    [ ! -s out ] || fail "$* : wrote to standard output"
}

gives 0 '' --help
gives 0 '' --version
gives 0 '' --list
gives 0 '' -p text
gives 0 '' -p csv
gives 2 'train' -p text trian
gives 2 'lr' -p json rl=1
gives 2 'sum, half or mean' -p json loss=smu
gives 2 'n: .*got "1e400"' -p json n=1e400
gives 2 'history' -p csv -t histroy
gives 0 '' -p torch
grep -q '^tables = {' out || fail "-p torch prints no script"
gives 2 'history' -p torch -t histroy
gives 2 'json' -p jsn
gives 2 'step' -p csv -c stpe
gives 1 'missing.csv: ' -p csv missing.csv
gives 1 '\./: ' -p csv ./
gives 1 '/dev/full: ' -p csv -o /dev/full
gives 1 'nowhere' -p csv -o nowhere/a.csv

# Where nothing may be written, the last write's failure is told.
if [ -c /dev/full ]; then
    "$attnlab" -p text >/dev/full 2>err
    [ $? -eq 1 ] || fail "a full disk is no success"
    grep -q '^attnlab: .*space' err || fail "a full disk is not named: $(cat err)"
fi

# A reader that leaves early is quiet for both sides.
{
    "$attnlab" -p json 2>err
    echo $? >status
} | head -n 1 >/dev/null
[ "$(cat status)" -eq 0 ] || fail "head -n 1: status $(cat status)"
[ ! -s err ] || fail "head -n 1: $(cat err)"

# Files appear whole, are kept unless --force is given, and leave nothing beside them.
mkdir files
gives 0 '' -o files/a.svg
head -c 5 files/a.svg | grep -Eq '<(svg|\?xml)' || fail "no svg in a.svg"
echo mine >files/b.csv
gives 1 'b.csv' -p csv -o files/b.csv
[ "$(cat files/b.csv)" = mine ] || fail "b.csv was touched"
gives 0 '' -p csv -o files/b.csv --force
[ "$(head -n 1 files/b.csv)" = epoch,w,loss,gradient ] || fail "b.csv was not replaced"
gives 2 '"none"' -p csv -t none -o files/c.csv
[ "$(find files -type f | sort | tr '\n' ' ')" = 'files/a.svg files/b.csv ' ] || fail "left behind: $(find files)"

# So do those that commands write; export! asks for the replacing.
echo mine >files/d.json
gives 1 'd.json' -p csv -o files/e.csv -c 'export json files/d.json'
[ "$(cat files/d.json)" = mine ] || fail "d.json was touched"
gives 0 '' -p csv -o files/e.csv -c 'export! json files/d.json' -c 'export command files/f.sh'
head -n 2 files/d.json | grep -q '"demo": "train"' || fail "d.json was not replaced"
[ "$(cat files/f.sh)" = 'attnlab train' ] || fail "f.sh: $(cat files/f.sh)"
[ "$(find files -type f | wc -l)" -eq 5 ] || fail "left behind: $(find files)"

# A log can be replayed, and is no more written over than any other file.
gives 0 '' -p text --log run.log -c 'step 3; set lr 0.01' -c run -o ran.txt
gives 0 '' -p text --replay run.log -o replayed.txt
cmp -s ran.txt replayed.txt || fail "the replay of run.log differs"
gives 1 'run.log' -p text --log run.log
gives 1 'nowhere' -p text --log nowhere/run.log
gives 1 'none.log' -p text --replay none.log
printf 'step\n\n# no command\nset lr fast\n' >bad.log
gives 2 'bad.log:4: ' -p text --replay bad.log
gives 2 'replay' -p text --pace 1
gives 2 '0.02 to 60' -p text --replay run.log --pace 0

# What is printed never gets into the log, nor anything else into a file that took a closed descriptor's number.
for closed in '>&-' '<&- >&-' '<&-' '2>&-' '<&- 2>&-'; do
    rm -f closed.log out err
    eval "\"\$attnlab\" --log closed.log train -c step -p csv >out 2>err $closed"
    status=$?
    "$attnlab" -p text --replay closed.log >replayed.txt || fail "$closed: the log cannot be replayed"
    ! grep -q '^[0-9]' closed.log || fail "$closed: the table is in the log"
    case $closed in
    *' >'* | '>'*)
        [ $status -eq 1 ] || fail "$closed: status $status"
        grep -q '^attnlab: standard output: Bad file' err || fail "$closed: not named: $(cat err)"
        ;;
    *) [ $status -eq 0 ] && [ "$(head -n 1 out)" = epoch,w,loss,gradient ] || fail "$closed: status $status" ;;
    esac
done
"$attnlab" -p csv -t data - <&- >out 2>err
[ $? -eq 1 ] || fail "a closed standard input is no failure"
grep -q '^attnlab: standard input: Bad file' err || fail "a closed standard input is not named: $(cat err)"
rm -f points.svg
"$attnlab" -p svg -c 'export svg points.svg; export xyz' 2>&- >&-
[ $? -eq 2 ] && [ "$(tail -c 7 points.svg)" = '</svg>' ] || fail "the message went into the picture"

# The command line of a scene shows the scene.
printf 'x,y\n1,2\n2,3\n3,5\n' >"it's.csv"
"$attnlab" -p json "it's.csv" -c 'step 2; point add 2.5 4; select 3' 2>err >scene.json
scene=$("$attnlab" -p command "it's.csv" -c 'step 2; point add 2.5 4; select 3' 2>err)
eval "\"\$attnlab\" ${scene#attnlab } -p json" 2>err >again.json
cmp -s scene.json again.json || fail "$scene shows something else"
"$attnlab" -p command - <"it's.csv" >out 2>err
[ $? -eq 1 ] || fail "points from standard input are no scene"
grep -q 'standard input, which' err || fail "not said of standard input: $(cat err)"

# Standard input is a file like any other.
printf 'x,y\n1,2\n2,3\n3,5\n' >points.csv
"$attnlab" -p csv -t data points.csv >named
"$attnlab" -p csv -t data - <points.csv >piped
cmp -s named piped || fail "- is not standard input"
[ "$(wc -l <named)" -eq 4 ] || fail "data of points.csv: $(cat named)"

# What was guessed about a file is told, and only there where it cannot be taken for data.
gives 0 'points.csv: comma-separated, header; x = x, y = y$' -p csv points.csv -o guessed.csv
gives 0 'points.csv: comma-separated, header; x = y, y = x$' -p json points.csv x=y y=x -o guessed.json

# Ctrl-C ends a long load as it ends any program. This one is as long as its writer keeps silent.
mkfifo never
exec 3<>never
timeout -s INT --preserve-status 0.2 "$attnlab" -p csv - <never >out 2>err
ended=$?
[ $ended -eq 130 ] || fail "an interrupted load ended with $ended, not 130"
exec 3>&-

# Locales that write 0,5 and 0.5, compiled here: few machines have them. Other C libraries than GNU's have none.
if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
    mkdir locales
    for language in de_DE zh_CN; do
        localedef -i "$language" -f UTF-8 "locales/$language.UTF-8" 2>/dev/null
        [ -e "locales/$language.UTF-8/LC_CTYPE" ] || fail "localedef makes no $language"
    done
    export LOCPATH="$dir/locales"
    [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || fail "the German locale has no decimal comma"
fi

# A directory of assets that is named has to be there.
gives 1 'nowhere: No such file' --assets nowhere -p csv
gives 1 'points.csv: Not a directory' --assets points.csv -p csv
mkdir own own/data && printf 'x,y\n1,2\n2,3\n3,5\n' >own/data/mcycle.csv
"$attnlab" --assets own train mcycle -p csv -t data 2>err | tail -1 | grep -qx 3,5 || fail "--assets overrides nothing"

# Bytes: no escapes, no carriage of the locale.
escape=$(printf '\033')
for format in csv json svg; do
    "$attnlab" -p $format -c step >plain
    for locale in C.UTF-8 de_DE.UTF-8 zh_CN.UTF-8; do
        LC_ALL=$locale LANG=$locale "$attnlab" -p $format -c step >other
        cmp -s plain other || fail "$format differs in $locale"
        LC_ALL=$locale LANG=$locale "$attnlab" -p $format lr=0.25 points.csv >other 2>err
        "$attnlab" -p $format lr=0.25 points.csv 2>err | cmp -s - other || fail "$format of a file differs in $locale"
    done
    ! grep -q "$escape" plain || fail "$format holds escapes"
done
"$attnlab" -p text -c step >plain
! grep -q "$escape" plain || fail "text holds escapes"
LC_ALL=C tr -d '\n -~' <plain >rest
[ ! -s rest ] || fail "text in the C locale is not plain ASCII"
"$attnlab" -p text >plain
"$attnlab" -p text --lang zh >other
cmp -s plain other || fail "where Chinese cannot be written, the text is not English"
LC_ALL=zh_CN.GBK "$attnlab" --help | head -1 | grep -q '^Usage:' || fail "UTF-8 in a locale of another encoding"
LC_ALL=zh_CN.UTF-8 "$attnlab" --help | head -1 | grep -q '^用法：' || fail "--help does not speak the locale's language"
"$attnlab" zzz --lang zh 2>message && fail "zzz is taken"
grep -q '没有演示' message || fail "--lang does not hold for what is wrong with the arguments: $(cat message)"
"$attnlab" -c 'demo train; ghosts; stpe' 2>message </dev/null >/dev/null && fail "stpe is taken"
grep -q 'no command "stpe"' message || fail "without a terminal the wrong command is not said: $(cat message)"
"$attnlab" 'lr = 0.25' -p json | grep -q '"lr": 0.25' || fail "'lr = 0.25' is not read"
LC_ALL=zh_CN.UTF-8 "$attnlab" --prit 2>message && fail "--prit is taken"
grep -q '没有选项 --prit' message || fail "what is wrong with an option is not said in the locale's language"
"$attnlab" -p text --glyphs unicode >plain
LC_ALL=C.UTF-8 "$attnlab" -p text >other
cmp -s plain other || fail "--glyphs=unicode differs from a UTF-8 locale's text"
NO_COLOR=1 "$attnlab" -p ansi >plain
! grep -Eq "$escape\[[0-9;]*[34]8;" plain || fail "NO_COLOR is not heeded"
"$attnlab" -p ansi >plain
grep -q "${escape}\[[0-9;]*38;2;" plain || fail "ansi is without colours"

# The frame has the size that was asked for.
[ "$("$attnlab" -p text --size 80x24 | wc -l)" -eq 24 ] || fail "--size 80x24 is not 24 lines"

[ "$failures" -eq 0 ]
