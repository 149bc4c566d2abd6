/* PETSc's AIJ matrices with products by tilespmv: the matrix type "aijtilespmv". */
#ifndef TILESPMV_PETSC_H
#define TILESPMV_PETSC_H

#include <petscmat.h>

#define MATAIJTILESPMV "aijtilespmv" /* one of the next two, by the number of processes */
#define MATSEQAIJTILESPMV "seqaijtilespmv"
#define MATMPIAIJTILESPMV "mpiaijtilespmv"

/* Makes the types known to MatSetType and MatConvert. Collective on PETSC_COMM_WORLD, after PetscInitialize; not needed
   where the option -dll_append libtilespmv_petsc.so loads the library. Further calls do nothing. */
PETSC_EXTERN PetscErrorCode MatRegisterTilespmv(void);

#endif
