#!/usr/bin/env bash
# run_case.sh CASE PROGRAM DATA [gpu]: runs the commands of a golden test of the command line and compares what they say.
#
# A case is a text file of these lines; commands run one after the other in one new folder.
#   # text     a comment
#   $ command  for bash; `tilespmv` is PROGRAM, $DATA the folder DATA
#   > more     the next line of the command
#   ! text     a line that the command prints on stderr
#   = code     its exit code (0 if not given)
#   text       a line that it prints on stdout
#   ? command  before all others: if its exit code is 4, the machine lacks what the case is for, and that of the case is 77
# In an expected line {*} stands for anything, and a line ... for any number of lines. Blank lines at the end do
# not count. The commands see no GPU, so that they say the same on every machine, unless the case is for one: with gpu,
# the exit code is 77 on machines without.
set -uo pipefail
export LC_ALL=C OMP_WAIT_POLICY=passive
[[ ${4:-} == gpu ]] || export CUDA_VISIBLE_DEVICES=
case_file=$(realpath "$1")
program=$(realpath "$2")
DATA=$(realpath "$3")
export DATA

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$program" "$work/bin/tilespmv"
export PATH="$work/bin:$PATH"
cd "$work/run" || exit 1
failures=0
if [[ ${4:-} == gpu ]]; then
    tilespmv spmv gen:laplace2d:n=2 --device cuda >/dev/null
    [[ $? != 4 ]] || exit 77
fi

# The extended regular expression that matches the expected lines in file $1.
regex_of() {
    local newline=$'\n'
    local text
    text=$(sed -e 's/[][\.*^$+?(){}|]/\\&/g' "$1")$newline
    [[ $text == "$newline" ]] && text=""
    text=$newline$text
    text=${text//$newline'\.\.\.'$newline/$newline(.*$newline)?}
    text=${text//'\{\*\}'/[^$newline]*}
    printf '^%s$' "${text#"$newline"}"
}

# Compares file $2 with the expected lines in file $3; $1 is what it is called.
compare() {
    local actual
    actual=$(cat "$2"; printf x)
    actual=${actual%x}
    while [[ $actual == *$'\n\n' ]]; do actual=${actual%$'\n'}; done
    [[ $actual =~ $(regex_of "$3") ]] && return
    echo "$case_file: $1 of: $command"
    diff -u --label expected --label actual "$3" "$2"
    failures=$((failures + 1))
}

run_command() {
    [[ -z $command ]] && return
    bash -c "$command" >"$work/out" 2>"$work/err" </dev/null
    local actual=$?
    if [[ $actual != "$code" ]]; then
        echo "$case_file: exit code $actual, expected $code, of: $command"
        cat "$work/err"
        failures=$((failures + 1))
    fi
    compare stdout "$work/out" "$work/expected_out"
    compare stderr "$work/err" "$work/expected_err"
}

new_command() {
    command=$1
    code=0
    : >"$work/expected_out" >"$work/expected_err"
}

new_command ""
commands=0
while IFS= read -r line || [[ -n $line ]]; do
    case $line in
    '# '*) ;;
    '$ '*)
        run_command
        new_command "${line#??}"
        commands=$((commands + 1))
        ;;
    '? '*)
        bash -c "${line#??}" >/dev/null </dev/null
        [[ $? != 4 ]] || exit 77
        ;;
    '> '*) command+=$'\n'${line#??} ;;
    '! '*) echo "${line#??}" >>"$work/expected_err" ;;
    '= '*) code=${line#??} ;;
    *) echo "$line" >>"$work/expected_out" ;;
    esac
done <"$case_file"
run_command

[[ $commands -gt 0 ]] || { echo "$case_file: no command"; exit 1; }
[[ $failures == 0 ]]
