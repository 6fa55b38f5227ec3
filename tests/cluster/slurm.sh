#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Slurm on two emulated nodes: scripts that Plait writes start ranks where their plans place them, and
# its commands use the nodes of the job that they run in.
# Usage: slurm.sh PLAIT MPIEXEC JOB [MPICH_JOB LIBRARY_PATH]: launcher and job of Open MPI; job of an
# MPICH and its library path. Exit code 77 where Slurm or clusters are missing.
set -uo pipefail
PATH=$PATH:/usr/sbin:/sbin
plait=$1 mpiexec=$2 job=$3 mpich_job=${4:-} mpich_path=${5:-}
cores=$(nproc)
fail() {
  echo "slurm: $*"
  tail -n 20 "$work"/*.log "$work"/*.out
  exit 1
}
skip() { echo "skipped: $*"; exit 77; }

if [[ -z ${SLURM_TEST_FOLDER:-} ]]; then
  for program in munged slurmctld slurmd sbatch; do
    command -v $program > /dev/null || skip "there is no $program (Debian: slurm-wlm, munge)"
  done
  ((EUID == 0)) || skip "only root may start slurmd"
  ((cores >= 2)) || skip "two ranks per node need two cores"
  work=$(mktemp -d)
  chmod 755 "$work"
  trap 'rm -rf "$work"' EXIT
  SLURM_TEST_FOLDER=$work "$plait" cluster run --nodes 2 --cores-per-node "$cores" \
    --time-limit 90 -- "$0" "$@"
  code=$?
  pgrep -f -- "$work" && { echo "slurm: processes are left"; exit 1; }
  exit $code
fi
work=$SLURM_TEST_FOLDER
cd "$work" || exit 1
# Launchers find Slurm's nodes, not those of the emulated cluster.
unset "${!OMPI_MCA_@}"

# --- start Slurm -------------------------------------------------------------------------------

export SLURM_CONF=$work/slurm.conf SLURM_MPI_TYPE=pmix
# Slurm's other barrier does not wait for other nodes, and ranks crash in MPI_Init now and then
# (hazards.json: openmpi4-srun-pmix-segfault-in-init).
export SLURM_PMIX_FENCE=ring
shape=$(slurmd -C 2> /dev/null | grep -o 'CPUs=.*ThreadsPerCore=[0-9]*')
[[ $shape == "CPUs=$cores "* ]] || skip "Slurm counts other CPUs ($shape) than may be used ($cores)"
mkdir state spool-n0 spool-n1 tmp-n0 tmp-n1 munge
cat > slurm.conf << END
ClusterName=emulated
SlurmctldHost=head
AuthInfo=socket=$work/munge.socket
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
TmpFS=$work/tmp-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SchedulerParameters=batch_sched_delay=0
NodeName=n[0-1] $shape
PartitionName=all Nodes=ALL Default=YES
END
echo "CgroupPlugin=cgroup/v1" > cgroup.conf
(umask 077 && head -c 1024 /dev/urandom > munge/key)
munged --foreground --force --num-threads 2 --key-file "$work/munge/key" \
  --socket "$work/munge.socket" --pid-file "$work/munge/pid" --log-file "$work/munge/log" \
  --seed-file "$work/munge/seed" > munged.log 2>&1 &
slurmctld -D -f slurm.conf > /dev/null 2>&1 &
for node in n0 n1; do
  "$plait" cluster exec $node -- slurmd -D -f "$work/slurm.conf" -N $node > /dev/null 2>&1 &
done

# Waits until a command prints this.
await() { # what, command...
  local what=$1
  shift
  for _ in $(seq 600); do
    [[ $("$@" 2> /dev/null) == "$what" ]] && return
    sleep 0.1
  done
  fail "'$*' prints '$("$@" 2>&1)', not '$what'"
}
await idle sinfo -h -o %T
srun --mpi=list 2>&1 | grep pmix > /dev/null || skip "this Slurm was built without PMIx"

# --- scripts -----------------------------------------------------------------------------------

# "RANK NODE CPUS" of each rank, from the output of plait where in a job.
seen() { awk '$1 ~ /^n[01]$/ { print $2, $1, $NF }' "$1" | sort; }

"$plait" place "4 ranks, 2 per node, spread" --hosts a,b > placed.txt || fail "place: $?"
"$plait" place "4 ranks, 2 per node, spread" --hosts a,b --emit slurm \
  -p "$plait where $job blocks 2 2" > placed.sh || fail "place --emit: $?"
"$plait" map --grid 2x2 --now cyclic --nodes 2x2 --emit slurm --folder mapped -- \
  "$plait" where "$job" blocks 4 1 > /dev/null || fail "map --emit: $?"
cat > commands.sh << END
#!/bin/bash
#SBATCH --nodes=2 --ntasks=4 --exclusive
set -eE
# Says whether a step fails without Plait as well.
compare() {
  echo "line \$1 ended with \$2; the step without plait, five times:"
  for _ in 1 2 3 4 5; do srun "$job" blocks 2 2; echo "exit code \$?"; done
}
trap 'code=\$?; trap - ERR; set +e; compare \$LINENO \$code; exit \$code' ERR
"$plait" run -q -o run -- srun "$job" blocks 2 2
"$plait" map --grid 2x2 > map.txt 2>&1
"$plait" doctor > doctor.txt
"$plait" place "4 ranks, spread" -o plan > place.txt 2>&1
for launcher in srun "$mpiexec"; do
  "$plait" where --plan plan/plan.json -- \$launcher "$job" blocks 2 2
done
if [[ -n "$mpich_job" ]]; then
  env SLURM_MPI_TYPE=pmi2 LD_LIBRARY_PATH="$mpich_path" UCX_TLS=tcp,self \
    "$plait" where --plan plan/plan.json -- srun "$mpich_job" blocks 2 2
fi
END
for script in placed.sh mapped/job.sh commands.sh; do
  sbatch --quiet -o "$(basename $script .sh).out" $script || fail "sbatch $script: $?"
done
await "" squeue -h

awk '$2 ~ /^[ab]$/ { print $1, $2, $4 }' placed.txt | sed 's/ a / n0 /; s/ b / n1 /' > planned
(($(wc -l < planned) == 4)) || fail "the plan has $(cat planned)"
diff planned <(seen placed.out) || fail "ranks are not where plait place had them"
diff <(seq 0 3 | paste -d ' ' - <(sed 's/node/n/' mapped/hosts)) \
  <(seen job.out | cut -d ' ' -f 1,2) || fail "ranks are not where plait map had them"

# --- commands within a job ---------------------------------------------------------------------

allocation="Slurm job 3: 2 nodes x $cores CPUs"
grep -qF "\"text\": \"$allocation\"" run/run.json || fail "plait run did not record the job"
grep -qF "\"$allocation\"" run/profile.json || fail "the profile does not name the job"
for text in map.txt place.txt; do
  grep -qxF "$allocation" $text || fail "$text does not name the job"
done
tr -s ' \n' ' ' < doctor.txt | grep -F "; slurmctld answers on head; $allocation" > /dev/null ||
  fail "plait doctor did not see Slurm: $(cat doctor.txt)"
grep -q "on 2 nodes of 2 slots" map.txt || fail "plait map did not take the job's tasks for slots"
launchers=2
[[ -z $mpich_job ]] || launchers=3
(($(grep -c "^All 4 ranks ran where the plan puts them.$" commands.out) == launchers)) ||
  fail "a launcher did not keep to the plan: $(cat commands.out)"
echo "all as planned"
