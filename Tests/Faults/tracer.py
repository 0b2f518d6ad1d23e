#!/usr/bin/env python3
"""Runs a command and changes one of its system calls: tracer.py HOW CALL NUMBER COMMAND...

strace can make a call fail, but cannot shorten a call, or report a completed call as failed. A library in front of libc
does not affect a static program. HOW changes call number NUMBER of the name CALL, counted from 1:
  short     the call gets a count of one byte
  halves    the call and all later calls of this name get half their count
  late=N    the call completes, and then returns error number N
The tracer runs on Linux on x86-64 and aarch64, for calls of the first thread; it ends with 77 elsewhere.
"""

import ctypes
import os
import signal
import sys

TRACEME, SYSCALL, SETOPTIONS, GETREGSET, SETREGSET = 0, 24, 0x4200, 0x4204, 0x4205
TRACESYSGOOD, EXITKILL = 1, 0x100000
NT_PRSTATUS = 1
# The registers of the call's number, its third argument and its result; the numbers of the calls.
MACHINES = {
    "x86_64": (15, 12, 10, {
        "read": 0, "write": 1, "pread64": 17, "pwrite64": 18, "close": 3, "rename": 82, "mkdir": 83, "unlink": 87,
        "mkdirat": 258, "unlinkat": 263, "renameat": 264, "renameat2": 316}),
    "aarch64": (8, 2, 0, {
        "read": 63, "write": 64, "pread64": 67, "pwrite64": 68, "close": 57, "mkdirat": 34, "unlinkat": 35,
        "renameat": 38, "renameat2": 276}),
}

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def ptrace(request, pid, address=0, data=0):
    if libc.ptrace(request, pid, address, data) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def main():
    how, name, number, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    machine = os.uname().machine
    if sys.platform != "linux" or machine not in MACHINES or name not in MACHINES[machine][3]:
        return 77
    call_at, count_at, result_at, numbers = MACHINES[machine]
    pid = os.fork()
    if pid == 0:
        try:
            ptrace(TRACEME, 0)
            os.execv(command[0], command)
        finally:
            os._exit(77)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        return 77
    ptrace(SETOPTIONS, pid, 0, TRACESYSGOOD | EXITKILL)
    registers = (ctypes.c_uint64 * 64)()
    vector = Vector(ctypes.addressof(registers), 0)
    seen, is_entry, is_late, pending = 0, True, False, 0
    while True:
        ptrace(SYSCALL, pid, 0, pending)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            if seen < number:
                print(f"tracer.py: there are {seen} calls of {name}", file=sys.stderr)
                return 77
            return os.WEXITSTATUS(status)
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        pending = os.WSTOPSIG(status)
        if pending != signal.SIGTRAP | 0x80:
            continue  # A signal for the command, to be delivered.
        pending = 0
        vector.size = ctypes.sizeof(registers)
        if is_entry:
            ptrace(GETREGSET, pid, NT_PRSTATUS, ctypes.addressof(vector))
            if registers[call_at] == numbers[name]:
                seen += 1
                if how.startswith("late="):
                    is_late = seen == number
                elif registers[count_at] > 1 and (seen == number or how == "halves" and seen > number):
                    registers[count_at] = 1 if how == "short" else registers[count_at] // 2
                    ptrace(SETREGSET, pid, NT_PRSTATUS, ctypes.addressof(vector))
        elif is_late:
            is_late = False
            ptrace(GETREGSET, pid, NT_PRSTATUS, ctypes.addressof(vector))
            registers[result_at] = (1 << 64) - int(how[len("late="):])
            ptrace(SETREGSET, pid, NT_PRSTATUS, ctypes.addressof(vector))
        is_entry = not is_entry


if __name__ == "__main__":
    sys.exit(main())
