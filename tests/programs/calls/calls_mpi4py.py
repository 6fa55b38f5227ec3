# SPDX-License-Identifier: BSD-3-Clause
"""The calls of calls.c from Python, by mpi4py's calls on buffers; needs no NumPy."""
import array

import mpi4py

mpi4py.rc.threads = False  # MPI_Init and not MPI_Init_thread
from mpi4py import MPI  # noqa: E402

N = 100
out, inn = array.array("d", [0.0] * 2 * N), array.array("d", [0.0] * 2 * N)
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
if size != 2:
    world.Abort(3)
partner = 1 - rank


def part(buffer, count, datatype=MPI.DOUBLE):
    return [buffer, count, datatype]


def messages():
    for i in range(10):
        if rank == 0:
            world.Send(part(out, N), 1, 1)
        else:
            source = 0 if i % 3 else MPI.ANY_SOURCE
            world.Recv(part(inn, 2 * N), source, 1, MPI.Status() if i % 2 else None)
    for _ in range(5):
        receive = world.Irecv(part(inn, N), partner, 2)
        send = world.Isend(part(out, N), partner, 2)
        MPI.Request.Waitall([receive, send])
    for _ in range(3):
        receive = world.Irecv(part(inn, N), partner, 3)
        send = world.Isend(part(out, N), partner, 3)
        receive.Wait(MPI.Status())
        send.Wait()
    for _ in range(4):
        world.Sendrecv(part(out, N), partner, 4, part(inn, N), partner, 4)
    world.Send(part(out, N), MPI.PROC_NULL, 5)


def persistent():
    receive = world.Recv_init(part(inn, N), partner, 6)
    requests = [receive, world.Send_init(part(out, N), partner, 6)]
    for _ in range(6):
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
    for _ in range(2):
        requests[0].Start()
        requests[1].Start()
        MPI.Request.Waitall(requests)
    requests[0].Free()
    requests[1].Free()


def no_requests():
    MPI.Request.Waitall([])
    MPI.Request.Testall([])
    MPI.Request.Waitany([])
    MPI.Request.Testany([])
    MPI.Request.Waitsome([])
    MPI.Request.Testsome([])


def probes():
    for _ in range(3):
        if rank == 0:
            world.Ssend(part(out, 10), 1, 7)
        else:
            status = MPI.Status()
            world.Probe(0, 7, status)
            world.Recv(part(inn, status.Get_count(MPI.DOUBLE)), 0, 7)


def collectives():
    for _ in range(2):
        world.Barrier()
    for i in range(3):
        world.Bcast(part(out, 50), i % 2)
    for _ in range(2):
        world.Reduce(part(out, 20), part(inn, 20), MPI.SUM, 0)
    for _ in range(4):
        world.Allreduce(part(out, 30), part(inn, 30), MPI.MAX)
    world.Gather(part(out, 10), part(inn, 10), 1)
    world.Scatter(part(out, 15), part(inn, 15), 0)
    for _ in range(2):
        world.Allgather(part(out, 12), part(inn, 12))
    for _ in range(2):
        world.Alltoall(part(out, 6), part(inn, 6))
    world.Alltoallv([out, [3, 3], [0, 10], MPI.DOUBLE], [inn, [3, 3], [0, 10], MPI.DOUBLE])
    world.Scan(part(out, 7), part(inn, 7), MPI.SUM)
    world.Ibarrier().Wait()
    world.Iallreduce(part(out, 8), part(inn, 8), MPI.SUM).Wait()


def communicators():
    copy = world.Dup()
    for _ in range(3):
        copy.Allreduce(part(out, 1), part(inn, 1), MPI.SUM)
    alone = copy.Split(rank, 0)
    for _ in range(2):
        alone.Bcast(part(out, 2), 0)
    bridge = alone.Create_intercomm(0, world, partner, 8)
    bridge.Get_remote_size()
    if rank == 0:
        bridge.Send(part(out, 4), 0, 9)
    else:
        bridge.Recv(part(inn, 4), 0, 9)
    merged = bridge.Merge(rank == 1)
    merged.Barrier()
    for comm in (merged, bridge, alone, copy):
        comm.Free()


def one_sided():
    window = MPI.Win.Create(inn, 8, MPI.INFO_NULL, world)
    window.Fence()
    window.Put(part(out, 4), partner, (0, 4, MPI.DOUBLE))
    window.Fence()
    window.Get(part(out, 5), partner, (0, 5, MPI.DOUBLE))
    window.Fence()
    window.Free()


def datatypes():
    pair = MPI.DOUBLE.Create_contiguous(2)
    pair.Commit()
    if rank == 0:
        world.Send([out, 3, pair], 1, 10)
    else:
        world.Recv([inn, 3, pair], 0, 10)
    pair.Free()


messages()
persistent()
no_requests()
probes()
collectives()
communicators()
one_sided()
datatypes()
if rank == 0:
    print("calls: done")
