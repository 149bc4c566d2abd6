#!/usr/bin/env python3
"""Estimates how conjugate gradients scale over GPUs of many machines: prints a table, and what it assumes.

    bench/petsc_scaling.py [--bandwidth GB/S] [--latency US] [--sum-base US] [--sum-step US] [--gpus N...] [--nonzeros N...]

An estimate, not a measurement: times of one GPU are measured, those of the network are assumptions that the options
replace by those of your cluster. 25 GB/s is what Slingshot-11 and InfiniBand HDR give a GPU (arXiv:2408.14090, which
measures them on up to 4,096 GPUs); latencies of PetscSF between GPUs are in arXiv:2406.08646. The times of sums are a
guess of that order.
"""
import argparse
import math

# Measured: microseconds an iteration of conjugate gradients on one H200, products by `auto` (bench/RESULTS.md, "On two
# GPUs"), with Jacobi's preconditioner: nonzeros, rows, microseconds; then on two H200 of one machine.
MEASURED = [("laplace3d:n=244", 101_330_272, 14_526_784, 617, 332), ("stencil27:n=156", 101_194_696, 3_796_416, 324, 168)]
NONZEROS_A_ROW = 7  # a grid in three dimensions, whose halos are largest beside its products
LAUNCH = 15  # microseconds of an iteration however small its vectors are: five kernels of 3 us


def fitted():
    """Microseconds for a nonzero and for a row, which two systems of as many nonzeros and other rows tell apart."""
    (_, z1, r1, t1, _), (_, z2, r2, t2, _) = MEASURED
    row = (t1 - LAUNCH - (t2 - LAUNCH) * z1 / z2) / (r1 - r2 * z1 / z2)
    return (t1 - LAUNCH - row * r1) / z1, row


def iteration(nonzeros, gpus, options):
    """Times in microseconds: of the work of a GPU, of the halo, of the sums."""
    nonzero, row = fitted()
    rows = nonzeros / NONZEROS_A_ROW / gpus
    work = LAUNCH + nonzero * nonzeros / gpus + row * rows
    faces = 6 if gpus > 1 else 0
    halo = faces * rows ** (2 / 3) * 8 / (options.bandwidth * 1e3) + (2 * options.latency if faces else 0)
    sums = 2 * (options.sum_base + options.sum_step * math.log2(gpus)) if gpus > 1 else 0
    return work, halo, sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bandwidth", type=float, default=20, help="GB/s of a GPU into the network (20, of 25)")
    parser.add_argument("--latency", type=float, default=5, help="us of a message between GPUs of two machines (5)")
    parser.add_argument("--sum-base", type=float, default=10, help="us of a sum over GPUs before its first step (10)")
    parser.add_argument("--sum-step", type=float, default=3, help="us of each of its log2(GPUs) steps (3)")
    parser.add_argument("--gpus", type=int, nargs="+", default=[64, 512, 4096])
    parser.add_argument("--nonzeros", type=float, nargs="+", default=[1e9, 1e11])
    options = parser.parse_args()
    nonzero, row = fitted()
    print(f"Estimate. From iterations measured on one H200: {nonzero * 1e6:.2f} us for a million nonzeros, "
          f"{row * 1e6:.2f} us for a million rows, and {LAUNCH} us.")
    for name, _, _, one, two in MEASURED:
        print(f"On two H200 of one machine halo and sums of {name} took {two - one / 2:.0f} us an iteration (measured).")
    print(f"""Assumed: {NONZEROS_A_ROW} nonzeros a row; cubes of the grid, whose six faces are sent at {options.bandwidth:g} GB/s after two latencies of
{options.latency:g} us; two sums an iteration of {options.sum_base:g} us and {options.sum_step:g} us for each doubling of the GPUs; vectors stay on the GPUs, MPI reads
them there. "hidden" is where the halo is on its way while the diagonal block is multiplied, as PETSc does it; "not" where
it is not. Efficiency: over each of as many GPUs taking its part of the time of one.
""")
    print("| nonzeros | GPUs | rows a GPU | work, us | halo, us | sums, us | iteration, us: hidden | not | efficiency: hidden | not |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for nonzeros in options.nonzeros:
        alone = iteration(nonzeros, 1, options)[0]
        for gpus in options.gpus:
            work, halo, sums = iteration(nonzeros, gpus, options)
            product = nonzero * nonzeros / gpus
            hidden = work + max(0, halo - product) + sums
            plain = work + halo + sums
            ideal = alone / gpus
            print(f"| {nonzeros:.0e} | {gpus:,} | {nonzeros / NONZEROS_A_ROW / gpus:,.0f} | {work:,.0f} | {halo:,.0f} | {sums:,.0f} | "
                  f"{hidden:,.0f} | {plain:,.0f} | {ideal / hidden:.0%} | {ideal / plain:.0%} |")


if __name__ == "__main__":
    main()
