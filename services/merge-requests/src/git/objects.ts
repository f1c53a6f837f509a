import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate as deflateCallback } from 'node:zlib';
import type { Sha } from './names';
import { GitCommandError, type GitOptions, type GitProcess, type Repository, runGit, startGit } from './run-git';

const deflate = promisify(deflateCallback);

/** The four kinds of git object. */
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** An object with its whole content. */
export interface GitObject {
  sha: Sha;
  type: ObjectType;
  content: Buffer;
}

/** An object not yet stored. */
export interface NewObject {
  type: ObjectType;
  content: Buffer;
}

/** The id git gives this object. */
export function objectSha({ type, content }: NewObject): Sha {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex') as Sha;
}

/** One `cat-file --batch` process for all reads of one operation. Close it in a `finally`. */
export class ObjectReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private buffered: Buffer = Buffer.alloc(0);

  private constructor(private readonly child: GitProcess) {
    this.chunks = child.stdout[Symbol.asyncIterator]();
  }

  /** Starts one, which the caller closes. */
  static async open(repo: Repository, options: GitOptions = {}): Promise<ObjectReader> {
    return new ObjectReader(await startGit(repo, ['cat-file', '--batch'], options));
  }

  /** The objects in the order given; `undefined` where there is none. */
  async read(shas: readonly Sha[]): Promise<(GitObject | undefined)[]> {
    if (shas.length === 0) return [];
    this.child.stdin.write(`${shas.join('\n')}\n`);
    const objects: (GitObject | undefined)[] = [];
    for (const sha of shas) objects.push(await this.next(sha));
    return objects;
  }

  close(): void {
    this.child.stdin.end();
    this.child.stop();
  }

  private async next(sha: Sha): Promise<GitObject | undefined> {
    const header = (await this.takeLine()).split(' ');
    if (header[1] === 'missing') return undefined;
    const size = Number(header[2]);
    const content = await this.take(size + 1);
    return { sha, type: header[1] as ObjectType, content: content.subarray(0, size) };
  }

  private async takeLine(): Promise<string> {
    for (;;) {
      const end = this.buffered.indexOf(10);
      if (end >= 0) return (await this.take(end + 1)).toString('latin1', 0, end);
      await this.more();
    }
  }

  private async take(length: number): Promise<Buffer> {
    if (this.buffered.length < length) {
      const parts = [this.buffered];
      let have = this.buffered.length;
      while (have < length) {
        const part = await this.chunk();
        parts.push(part);
        have += part.length;
      }
      this.buffered = Buffer.concat(parts);
    }
    const taken = this.buffered.subarray(0, length);
    this.buffered = this.buffered.subarray(length);
    return taken;
  }

  private async more(): Promise<void> {
    this.buffered = Buffer.concat([this.buffered, await this.chunk()]);
  }

  private async chunk(): Promise<Buffer> {
    const { value, done } = await this.chunks.next();
    if (!done) return value;
    const { code, stderr } = await this.child.ended;
    throw new GitCommandError('cat-file', code, stderr);
  }
}

/** Type and size of objects named by id, or by `<sha>:<path>` and `<sha>^{commit}` built from parsed parts. */
export async function describeObjects(
  repo: Repository,
  names: readonly string[],
  options: GitOptions = {},
): Promise<({ sha: Sha; type: ObjectType; size: number } | undefined)[]> {
  if (names.length === 0) return [];
  const { stdout } = await runGit(repo, ['cat-file', '--batch-check', '--buffer', '-z'], {
    ...options,
    input: `${names.join('\0')}\0`,
  });
  // A missing name is echoed and may hold line feeds, so answers are matched from each name's own end.
  const text = stdout.toString('utf8');
  let at = 0;
  return names.map((name) => {
    for (const verdict of ['missing', 'ambiguous']) {
      const line = `${name} ${verdict}\n`;
      if (text.startsWith(line, at)) {
        at += line.length;
        return undefined;
      }
    }
    const end = text.indexOf('\n', at);
    const [sha, type, size] = text.slice(at, end).split(' ');
    at = end + 1;
    return { sha: sha as Sha, type: type as ObjectType, size: Number(size) };
  });
}

const typeNumber: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };

async function packEntry({ type, content }: NewObject): Promise<Buffer> {
  let rest = Math.floor(content.length / 16);
  const header = [(typeNumber[type] << 4) | (content.length & 15)];
  while (rest > 0) {
    header[header.length - 1]! |= 0x80;
    header.push(rest & 0x7f);
    rest = Math.floor(rest / 128);
  }
  return Buffer.concat([Buffer.from(header), await deflate(content)]);
}

/**
 * Stores objects with one process, whatever their number: they go as a pack through `unpack-objects --strict`, which
 * checks each of them as an incoming push's are, and that what they point at is there.
 */
export async function writeObjects(
  repo: Repository,
  objects: readonly NewObject[],
  options: GitOptions = {},
): Promise<void> {
  if (objects.length === 0) return;
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const hash: Hash = createHash('sha1').update(head);
  const parts: Buffer[] = [head];
  for (const object of objects) {
    const entry = await packEntry(object);
    hash.update(entry);
    parts.push(entry);
  }
  parts.push(hash.digest());
  await runGit(repo, ['unpack-objects', '-q', '--strict'], { ...options, input: Buffer.concat(parts) });
}
