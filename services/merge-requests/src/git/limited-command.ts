import { spawnSync } from 'node:child_process';

/** Bounds that the system holds a process to. */
export interface ProcessLimits {
  /** Bytes it may allocate. Mapped files are not counted (RLIMIT_DATA), so that packs of any size can be read. */
  readonly memoryBytes: number;
  /** Seconds of CPU; undefined: as many as its time-out allows. */
  readonly cpuSeconds?: number;
}

type Wrap = (file: string, args: readonly string[], limits: ProcessLimits) => [file: string, args: string[]];

// Soft limits: the hard ones may be lower than these where the host has set them, and must not be raised.
const prlimit: Wrap = (file, args, { memoryBytes, cpuSeconds }) => [
  'prlimit',
  [`--data=${memoryBytes}:`, ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}:`]), '--core=0:', file, ...args],
];

const shell: Wrap = (file, args, { memoryBytes, cpuSeconds }) => {
  const cpu = cpuSeconds === undefined ? '' : `ulimit -S -t ${cpuSeconds} && `;
  const limits = `ulimit -S -d ${Math.floor(memoryBytes / 1024)} && ${cpu}ulimit -S -c 0`;
  return ['/bin/sh', ['-c', `${limits} && exec "$@"`, 'sh', file, ...args]];
};

const unlimited: Wrap = (file, args) => [file, [...args]];

const works = (wrap: Wrap): boolean => {
  const [file, args] = wrap('/bin/sh', ['-c', ':'], { memoryBytes: 1 << 28, cpuSeconds: 60 });
  return spawnSync(file, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
};

// What the host offers does not change while the process runs: it is probed by the first command.
let offered: Wrap | undefined;

/**
 * The command that runs another one within limits: `prlimit` of util-linux, else a shell, else (neither works) the
 * command itself.
 */
export function limitedCommand(file: string, args: readonly string[], limits: ProcessLimits): [string, string[]] {
  offered ??= [prlimit, shell].find(works) ?? unlimited;
  return offered(file, args, limits);
}
