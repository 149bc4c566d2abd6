"""Solves through petsc4py with the matrix type, on any number of processes. Without petsc4py: 77, skipped."""
import pathlib
import sys
import tempfile

try:
    import petsc4py
except ImportError:
    print("petsc4py is not installed")
    sys.exit(77)
petsc4py.init(["test", "-dll_append", sys.argv[1]])
from petsc4py import PETSc  # noqa: E402


def laplace(kind, n):
    a = PETSc.Mat().create()
    a.setSizes([n * n, n * n])
    a.setType(kind)
    a.setPreallocationNNZ((5, 4))
    for i in range(*a.getOwnershipRange()):
        for j, value in ((i - n, -1), (i - 1, -1), (i, 4), (i + 1, -1), (i + n, -1)):
            if 0 <= j < n * n and (abs(j - i) != 1 or j // n == i // n):
                a.setValue(i, j, value)
    a.assemble()
    return a


def solve(a):
    x, b = a.createVecs()
    b.set(1.0)
    ksp = PETSc.KSP().create()
    ksp.setOperators(a)
    ksp.setType("cg")
    ksp.getPC().setType("bjacobi")
    ksp.setTolerances(rtol=1e-10)
    ksp.solve(b, x)
    assert ksp.getConvergedReason() > 0
    return x, ksp.getIterationNumber()


def info(a, form):
    """What -mat_view prints in this format, on the first process."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "info"
        viewer = PETSc.Viewer().createASCII(str(file), comm=a.comm)
        viewer.pushFormat(form)
        a.view(viewer)
        viewer.destroy()
        return file.read_text() if a.comm.rank == 0 else ""


a, ours = laplace("aij", 80), laplace("aijtilespmv", 80)
assert ours.getType() in ("seqaijtilespmv", "mpiaijtilespmv"), ours.getType()
(x, steps), (y, our_steps) = solve(a), solve(ours)
y.axpy(-1.0, x)
assert steps == our_steps and y.norm() <= 1e-9 * x.norm(), (steps, our_steps, y.norm())
text, of_first = info(ours, PETSc.Viewer.Format.ASCII_INFO_DETAIL), info(ours, PETSc.Viewer.Format.ASCII_INFO)
if a.comm.rank == 0:  # the off-diagonal blocks have few nonzeros
    assert of_first.count("predicted to be the fastest") == 1, of_first
    assert text.count("predicted to be the fastest") == a.comm.size, text
    assert text.count("AIJ's own product") == (0 if a.comm.size == 1 else a.comm.size), text
ours.scale(2.0)
z, _ = solve(ours)
z.scale(2.0)
z.axpy(-1.0, x)
assert z.norm() <= 1e-9 * x.norm(), z.norm()
back = ours.convert("aij")
assert back.getType() in ("seqaij", "mpiaij"), back.getType()
print("solved")
