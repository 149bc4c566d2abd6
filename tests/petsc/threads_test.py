"""Processes of a node share its cores: threads that a program says it takes. Arguments: command that starts one of MPI."""
import os
import re
import subprocess
import sys

cores = len(os.sched_getaffinity(0))
for processes, told in ((1, None), (2, None), (2, 3)):
    environment = dict(os.environ)  # in which processes are bound to no core
    environment.pop("OMP_NUM_THREADS", None)
    if told:
        environment["OMP_NUM_THREADS"] = str(told)
    command = [sys.argv[1], sys.argv[2], str(processes), sys.argv[3], "-mat_tilespmv_view"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    taken = set(map(int, re.findall(r"^tilespmv on rank.*?(\d+) threads?,", done.stdout, re.M)))
    expected = told or max(1, cores // processes)
    assert taken == {expected}, f"{processes} processes on {cores} cores take {taken} threads, not {expected}"
print("shared")
