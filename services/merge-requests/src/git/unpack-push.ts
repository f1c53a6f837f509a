import type { Writable } from 'node:stream';
import { isAppError } from '@switchyard/errors';
import { gitLimits } from './git-limits';
import type { PacketReader } from './pkt-line';
import { type GitOptions, type Repository, startGit } from './run-git';

/**
 * Bytes of a pack that are read before a process starts for it: a client that sends slowly holds none, as long as its
 * push is of this size.
 */
export const readAhead = 1 << 20;
/** Seconds of CPU for the objects of a pack that is larger than that. */
const unpackCpuSeconds = 3_600;
/**
 * Milliseconds that unpacking may take once the last byte is there, and more for each MiB: the slowest of ordinary
 * packs take 100 ms.
 */
const tailMs = 30_000;
const tailMsPerMiB = 1_000;

// What real histories contain and clients can live with; everything else git's own check finds refuses the push.
const tolerated = '=badTimezone=ignore,missingSpaceBeforeDate=ignore,zeroPaddedFilemode=ignore';
// As git itself does: below this many objects a pack is not worth keeping.
const looseObjects = 100;

/** What the objects of a push may take. */
export interface UnpackLimits {
  /** Bytes; 10 GiB unless it says otherwise. */
  readonly maxPackBytes?: number;
  /** 10,000,000 unless it says otherwise. */
  readonly maxObjects?: number;
  /**
   * Milliseconds after the last byte, however few came; 30,000 and 1,000 for each MiB unless it says otherwise. Up to then the
   * processor is free to use.
   */
  readonly tailMs?: number;
}

/**
 * Unpacks the objects of a push into `area`, within the limits of a git process.
 * @param onRead called when the request has been read to its end
 * @returns why they are refused, for the client's screen; undefined when they are there
 */
export async function unpackPush(
  area: Repository,
  reader: PacketReader,
  limits: UnpackLimits,
  options: GitOptions,
  onRead: () => void,
): Promise<{ summary: string; details: string[] } | undefined> {
  const head = await reader.peek(12);
  if (head.length < 12 || head.toString('latin1', 0, 4) !== 'PACK')
    throw new Error('the request broke off before its objects');
  const count = head.readUInt32BE(8);
  const { maxObjects = 10_000_000 } = limits;
  if (count > maxObjects) {
    for await (const _ of reader.remainder());
    return { summary: 'too many objects', details: [`a push may bring ${maxObjects} objects, not ${count}`] };
  }
  const isSmall = (await reader.peek(readAhead)).length < readAhead;
  const bound = `--max-input-size=${limits.maxPackBytes ?? 10 * 1024 ** 3}`;
  const args =
    count < looseObjects
      ? ['unpack-objects', '-q', `--strict${tolerated}`, bound]
      : ['index-pack', '--stdin', '--fix-thin', `--strict${tolerated}`, bound];
  const cpuSeconds = isSmall && limits.tailMs === undefined ? gitLimits().smallPushCpuSeconds : unpackCpuSeconds;
  const child = await startGit(area, args, { ...options, cpuSeconds });
  child.stdout.resume();
  let size = 0;
  try {
    for await (const chunk of reader.remainder()) {
      size += chunk.length;
      if (child.stdin.destroyed || !child.stdin.writable) continue;
      if (!child.stdin.write(chunk)) await freeBytesIn(child.stdin);
    }
  } catch (cause) {
    child.stop();
    await child.ended.catch(() => undefined);
    throw cause;
  }
  child.stdin.end();
  onRead();
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      child.stop();
    },
    limits.tailMs ?? tailMs + (size / 1024 ** 2) * tailMsPerMiB,
  );
  const done = await child.ended
    .catch((cause: unknown) => {
      if (isAppError(cause, 'too_large')) return undefined;
      throw cause;
    })
    .finally(() => clearTimeout(timer));
  const ended = late ? undefined : done;
  if (ended === undefined)
    return {
      summary: 'objects too large',
      details: ['unpacking these objects takes more memory or time than a push may have'],
    };
  const { code, stderr } = ended;
  if (code === 0) return undefined;
  const details = stderr
    .split('\n')
    .filter((line) => /^(fatal|error): /.test(line))
    .map((line) => line.replaceAll(area.path, 'repository'));
  return { summary: `${args[0]} failed`, details: details.slice(0, 20) };
}

// A process that has ended will never ask for more; its end counts as free space.
function freeBytesIn(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.once('drain', done).once('close', done).once('error', done);
  });
}
