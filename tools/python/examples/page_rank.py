"""PageRank: which pages of a web graph are linked to most, by products with the transpose.

usage: page_rank.py [A.mtx]     a row for each page, with a nonzero for each page that it links to
"""

import sys

import numpy as np

import tilespmv


def page_rank(links, damping=0.85, tolerance=1e-10):
    """Ranks that add up to 1, and the number of steps."""
    pages = links.shape[0]
    counts = np.diff(links.to_scipy().indptr)
    links.update_values(1 / np.repeat(counts, counts))  # a page shares its rank among the pages that it links to
    rank, shared = np.full(pages, 1 / pages), np.empty(pages)
    for step in range(1, 1001):
        lost = rank[counts == 0].sum()  # of pages without links, which go to any page
        shared[:] = (1 - damping + damping * lost) / pages
        links.rmatvec(rank, shared, alpha=damping, beta=1)
        change = np.abs(shared - rank).sum()
        rank, shared = shared, rank
        if change < tolerance:
            break
    return rank, step


if __name__ == "__main__":
    graph = tilespmv.matrix(sys.argv[1] if len(sys.argv) > 1 else "gen:web:n=100000")
    ranks, steps = page_rank(graph)
    print(f"{graph.shape[0]} pages, {graph.nnz} links, {steps} steps on {graph.device}")
    for page in np.argsort(ranks)[::-1][:5]:
        print(f"page {page + 1}: {ranks[page]:.3g}")
