#!/usr/bin/env python3
"""Runs tutorials and tests of PETSc itself with the matrix type and with AIJ, and compares what they print.

    tests/petsc/examples.py build/tools/petsc/libtilespmv_petsc.so            # a few, as CTest does
    tests/petsc/examples.py --all build/tools/petsc/libtilespmv_petsc.so      # every one that takes -mat_type

The sources are those of Debian's libpetsc3.18-dev-examples, or of --examples FOLDER. Programs and their arguments are
found in the comments by which PETSc runs them. Without the sources or mpicc it ends with 77: skipped.
"""
import argparse
import concurrent.futures
import glob
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

KSP = ["ksp/ksp/tutorials/" + name for name in ("ex2.c", "ex5.c", "ex23.c", "ex50.c")]
FEW = KSP + ["mat/tests/" + name for name in ("ex2.c", "ex5.c")]

# Those that run with AIJ and do not print the same with the matrix type: name, what their arguments have, and why.
LEFT_OUT = [
    ("mat/tests/ex182.c", "-info", "PETSc tells what it loads and where in memory communicators are"),
    ("ksp/ksp/tutorials/ex2.c", "pipelcg", "the pipelined method magnifies how products are rounded"),
]

ENVIRONMENT = {
    **os.environ,
    "OMP_WAIT_POLICY": "passive",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
LOOP = re.compile(r"\{\{(.*?)\}[^}]*\}")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def holds(need, macros):
    """Whether PETSc, configured with these macros, has what a test requires."""
    if need.startswith("!"):
        return not holds(need[1:], macros)
    macro = re.fullmatch(r"defined\((\w+)\)", need)
    names = [macro.group(1)] if macro else [f"PETSC_{use}_{need.upper()}" for use in ("HAVE", "USE", "USE_REAL")]
    return need == "c99" or any(name in macros for name in names)


def arguments_of(source, macros):
    """Arguments and numbers of processes of the tests of a source that run with this PETSc. Of loops over values it
    takes the first and the last: {{1 2 4}} becomes 1 and 4."""
    block = re.search(r"/\*TEST(.*?)TEST\*/", source, re.S)
    if not block:
        return []
    cases, outer = [], {}
    for part in re.split(r"\n(?=\s*test(?:set)?:)", block.group(1)):
        fields = {}
        for key in ("args", "nsize", "requires"):
            found = re.search(rf"^\s*{key}:(.*(?:\n\s*(?:-|\\).*)*)", part, re.M)
            fields[key] = found.group(1).strip() if found else ""
        if re.match(r"\s*build:", part) and not all(holds(need, macros) for need in fields["requires"].split()):
            return []
        if re.match(r"\s*testset:", part):
            outer = fields
        elif "test:" in part:
            around = outer if re.match(r"\s{6,}test:", part) else {}
            args = f"{around.get('args', '')} {fields['args']}".strip()
            needs = f"{around.get('requires', '')} {fields['requires']}".split()
            size = fields["nsize"] or around.get("nsize") or "1"
            if "${DATAFILESPATH}" in args or not all(holds(need, macros) for need in needs):
                continue
            for at in (0, -1):
                first_or_last = lambda loop: loop.group(1).split()[at]
                cases.append((LOOP.sub(first_or_last, args), int(LOOP.sub(first_or_last, size))))
    return cases


def with_type(args, name):
    """The arguments with this type of matrices; None if they ask for one that is not AIJ."""
    words = shlex.split(args.replace("\\\n", " "))
    if "-mat_type" in words:
        at = words.index("-mat_type") + 1
        if words[at] not in ("aij", "seqaij", "mpiaij"):
            return None
        words[at] = words[at].replace("aij", name)
        return words
    return words + ["-mat_type", name]


def plain(text):
    """The lines, without what names the type."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("tilespmv")]
    return [re.sub(r"aijtilespmv", "aij", line).rstrip() for line in lines]


def is_same_line(a, b):
    if a == b:
        return True
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    pairs = zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b)))
    return all(abs(x - y) <= 1e-5 * max(abs(x), abs(y)) + 1e-9 for x, y in pairs)


def differences(expected, found):
    """The lines in which processes print something else: two texts for each process."""
    lines = []
    for a, b in zip(map(plain, expected), map(plain, found)):
        pairs = itertools.zip_longest(a, b, fillvalue="")
        lines += [f"  {p}\n  {q}" for p, q in pairs if not is_same_line(p, q)]
    return "\n".join(lines)


class Examples:
    def __init__(self, options):
        self.options = options
        module = "PETSc64" if "petsc64" in options.plugin.name else "PETSc"
        ask = lambda *what: subprocess.run(["pkg-config", *what, module], capture_output=True, text=True).stdout.strip()
        self.flags = shlex.split(ask("--cflags", "--libs"))
        configuration = pathlib.Path(ask("--variable=includedir"), "petscconf.h").read_text()
        self.macros = set(re.findall(r"#define (\w+)", configuration))
        self.folder = tempfile.TemporaryDirectory()
        data = (folder for folder in options.examples.parents if (folder / "share/petsc/datafiles").is_dir())
        self.petsc = str(next(data, options.examples))

    def build(self, name):
        program = pathlib.Path(self.folder.name) / name.replace("/", "_")[:-2]
        source = self.options.examples / name
        command = ["mpicc", "-O1", "-w", str(source), "-o", str(program), *self.flags, "-lm"]
        return program if subprocess.run(command, capture_output=True).returncode == 0 else None

    def run(self, program, ranks, words):
        """The exit status and what each process prints; after an error also what they say of it."""
        words = [word.replace("${wPETSC_DIR}", self.petsc) for word in words]
        with tempfile.TemporaryDirectory() as folder:
            start = ["mpiexec", "--timeout", str(self.options.timeout), "--output-filename", f"{folder}/processes:nocopy"]
            done = subprocess.run([*start, "-n", str(ranks), str(program), *words], capture_output=True, text=True,
                                  cwd=self.folder.name, env=ENVIRONMENT, errors="replace")
            names = ("stdout", "stderr") if done.returncode else ("stdout",)
            files = [file for name in names for file in sorted(pathlib.Path(folder).rglob(name))]
            texts = [file.read_text(errors="replace") for file in files]
            return done.returncode, texts + [done.stderr] if done.returncode else texts

    def compare(self, program, ranks, args):
        """What comes of one case: the same or not, or why it says nothing."""
        ours = with_type(args, "aijtilespmv")
        if ours is None:
            return "has another type"
        status, expected = self.run(program, ranks, with_type(args, "aij"))
        if status != 0:
            return "fails with AIJ"
        load = ["-dll_append", str(self.options.plugin), "-mat_tilespmv_view"]
        status, found = self.run(program, ranks, ours + load + ["-mat_tilespmv_operator", self.options.operator])
        if status != 0:
            return "DIFFERS: fails\n" + "".join(found)[-1500:]
        different = differences(expected, found)
        if different:
            return "DIFFERS\n" + different[:1500]
        return "same" if "tilespmv on rank" in "".join(found) else "same without a product of ours"

    def test(self, name):
        """Lines about a source, and the numbers of cases by what came of them."""
        source = (self.options.examples / name).read_text(errors="replace")
        cases = arguments_of(source, self.macros)
        if name in KSP:
            cases.insert(0, ("", 1))
        if not self.options.all:
            cases = [case for case in cases if with_type(case[0], "aij")][:2]
        program = self.build(name) if cases else None
        if program is None:
            return [f"{name}: {'is not compiled alone' if cases else 'no case'}"], {}
        counts, lines = {}, []
        runs = {(ranks, args) for args, size in cases for ranks in {*self.options.ranks, size}}
        for ranks, args in sorted(runs):
            is_left_out = any(name == source and text in args for source, text, _ in LEFT_OUT)
            outcome = "left out" if is_left_out else self.compare(program, ranks, args)
            kind = re.match("[^:\n]*", outcome).group()
            counts[kind] = counts.get(kind, 0) + 1
            if outcome.startswith("DIFFERS"):
                lines.append(f"{name} on {ranks} with {args}: {outcome}")
        lines.insert(0, f"{name}: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
        return lines, counts


def default_examples():
    folders = sorted(glob.glob("/usr/share/petsc/*/share/petsc/examples/src"))
    return pathlib.Path(folders[-1]) if folders else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--examples", type=pathlib.Path, default=default_examples())
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--match", default="", help="a regular expression of the names that are run")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--operator", default="csr-omp", help="auto leaves vectors to AIJ where nonzeros are few")
    parser.add_argument("--timeout", type=int, default=120, help="seconds of a run")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.examples is None or not options.examples.is_dir() or shutil.which("mpicc") is None:
        print("PETSc's examples or mpicc are not installed")
        return 77
    names = FEW
    if options.all:
        tests = sorted((options.examples / "mat/tests").glob("ex*.c"))
        takes_type = [p for p in tests if re.search(r"MatSetFromOptions|-mat_type", p.read_text(errors="replace"))]
        names = KSP + [str(p.relative_to(options.examples)) for p in takes_type]
    names = [name for name in names if re.search(options.match, name)]
    examples = Examples(options)
    total = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines, counts in pool.map(examples.test, names):
            print("\n".join(lines), flush=True)
            for what, n in counts.items():
                total[what] = total.get(what, 0) + n
    print("in all: " + ", ".join(f"{n} {what}" for what, n in sorted(total.items())))
    return 1 if total.get("DIFFERS") or not total.get("same") else 0


if __name__ == "__main__":
    sys.exit(main())
