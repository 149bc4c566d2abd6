#pragma once

/// Every operator but `auto` and the reference, a representation a line: in the order in which lists show them, and in
/// which one of equals is chosen. The folder of NAME defines `info_of_NAME` (an `OperatorInfo`, in namespace cuda for
/// `gpu` and `library`, in namespace cpu for `cpu`), and `known_of_NAME` (a `KnownOperator`, what choices know of it).
/// Those of `library` are built where cuSPARSE is.
#define TILESPMV_FOR_EACH_OPERATOR(gpu, cpu, library)                                                                 \
    cpu(csr_omp) gpu(tile) cpu(tile_omp) gpu(tile_warp) gpu(strip) cpu(strip_omp) gpu(csr_scalar) gpu(csr_vector)     \
        gpu(csr_merge) gpu(csr5) gpu(csr_inode) gpu(sell) gpu(csr_spmm) gpu(sell_spmm) gpu(ell) cpu(ell_omp) gpu(dia) \
            cpu(dia_omp) gpu(coo) cpu(coo_omp) gpu(hyb) cpu(hyb_omp) library(cusparse_csr) library(cusparse_coo)      \
                library(cusparse_sell) library(cusparse_bsr) library(cusparse_spmm)
