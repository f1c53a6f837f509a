import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name in parentheses may itself hold blanks: fields are counted behind the last parenthesis.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** CPU time of a process, all its threads, user and system, milliseconds; undefined when it is gone. */
export function cpuMs(pid) {
  try {
    const fields = statOf(pid);
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/**
 * What a set of processes used between two looks. `pids()` is asked at both, since PostgreSQL starts and ends backends:
 * one that was not there at the first look counts from its birth.
 */
export async function measureCpu(pids, work) {
  const before = new Map((await pids()).map((pid) => [pid, cpuMs(pid) ?? 0]));
  const result = await work();
  let used = 0;
  for (const pid of new Set([...before.keys(), ...(await pids())])) {
    const now = cpuMs(pid);
    if (now !== undefined) used += now - (before.get(pid) ?? 0);
  }
  return { result, used };
}

/** The processes below `pid`, itself included. */
export function processTree(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const parent = Number(statOf(entry)[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // Ended meanwhile.
    }
  }
  const found = [pid];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

/**
 * CPU time of each process below `pid`, itself included, with that of its ended children, milliseconds. Over the tree the difference of two
 * looks is exact: what a process used stands with its parent once it has ended.
 */
export function processCpu(pid) {
  return processTree(pid).flatMap((one) => {
    try {
      const fields = statOf(one);
      const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
      return [{ pid: one, milliseconds: (ticks * 1_000) / ticksPerSecond }];
    } catch {
      // Ended meanwhile.
      return [];
    }
  });
}

/** What a process of an installation is, for the breakdown. */
export function roleOf(pid) {
  const command = commandOf(pid);
  const service = /services\/([\w-]+)\/dist\/main\.js/.exec(command)?.[1];
  if (service !== undefined) return service;
  if (/postgres/.test(command)) return 'postgres';
  return /start\.mjs|npm/.test(command) ? 'launcher' : 'other';
}

/** Proportional set size of a process, bytes: memory shared by n processes counts a n-th in each. */
export function proportionalMemory(pid) {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** Resident set size of a process, bytes. */
export function residentMemory(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** CPU time of every process of an installation by what it is, milliseconds; that of an ended process counts for its parent. */
export function cpuByRole(launcherPid) {
  const used = new Map();
  for (const { pid, milliseconds } of processCpu(launcherPid)) {
    const role = roleOf(pid);
    used.set(role, (used.get(role) ?? 0) + milliseconds);
  }
  return used;
}

/** Command line of a process, for the breakdown. */
export function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
