import { createHash } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';

const types = { commit: 1, tree: 2, blob: 3, 'ref-delta': 7 } as const;

interface Packed {
  readonly type: keyof typeof types;
  readonly content: Buffer;
  /** Of a delta, what it builds on. */
  readonly base?: string;
}

const shaOf = (type: string, content: Buffer): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

function packOf(objects: readonly Packed[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const entries = objects.map(({ type, content, base }) => {
    const header = [(types[type] << 4) | (content.length & 15)];
    for (let rest = Math.floor(content.length / 16); rest > 0; rest = Math.floor(rest / 128)) {
      header[header.length - 1]! |= 0x80;
      header.push(rest & 0x7f);
    }
    return Buffer.concat([Buffer.from(header), Buffer.from(base ?? '', 'hex'), deflateSync(content, { level: 9 })]);
  });
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const commitOf = (tree: string, parent?: string): Packed => ({
  type: 'commit',
  content: Buffer.from(
    `tree ${tree}\n${parent === undefined ? '' : `parent ${parent}\n`}author A <a@b.c> 1700000000 +0000\ncommitter A <a@b.c> 1700000000 +0000\n\nBomb\n`,
  ),
});

/** A pack and the commit it brings. */
export interface Bomb {
  readonly pack: Buffer;
  readonly head: string;
}

/** Levels of folders in a tree bomb. */
const levels = 6;

/** A commit of 300,000 files in folders that are all the same: a pack of some 550 bytes, three times what is listed of anything. */
export function treeBomb(text = 'hello\n'): Bomb {
  const blob: Packed = { type: 'blob', content: Buffer.from(text) };
  const objects = [blob];
  let below = shaOf('blob', blob.content);
  for (let level = 0; level < levels; level++) {
    const mode = level === 0 ? '100644 f' : '40000 d';
    const rows = Array.from({ length: level === levels - 1 ? 3 : 10 }, (_, at) =>
      Buffer.concat([Buffer.from(`${mode}${at}\0`), Buffer.from(below, 'hex')]),
    );
    const tree: Packed = { type: 'tree', content: Buffer.concat(rows) };
    objects.push(tree);
    below = shaOf('tree', tree.content);
  }
  const commit = commitOf(below);
  return { pack: packOf([...objects, commit]), head: shaOf('commit', commit.content) };
}

function varint(value: number): number[] {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

/**
 * A commit with a file of 4 MiB, and `count` deltas that each copy it 80 times: some kilobytes for `count` × 320 MiB.
 */
export function deltaBomb(count: number): Bomb {
  const base: Packed = { type: 'blob', content: Buffer.alloc(4 << 20) };
  const sha = shaOf('blob', base.content);
  const copy = [0x80 | 0x40, 0x40];
  const deltas = Array.from({ length: count }, (_, at): Packed => {
    const literal = [2, at & 255, at >> 8];
    const copies = Array.from({ length: 80 }, () => copy).flat();
    const content = Buffer.from([...varint(4 << 20), ...varint(80 * (4 << 20) + 2), ...copies, ...literal]);
    return { type: 'ref-delta', content, base: sha };
  });
  const tree: Packed = {
    type: 'tree',
    content: Buffer.concat([Buffer.from('100644 file\0'), Buffer.from(sha, 'hex')]),
  };
  const commit = commitOf(shaOf('tree', tree.content));
  return { pack: packOf([base, ...deltas, tree, commit]), head: shaOf('commit', commit.content) };
}

const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;

/** The request of a push that makes a branch. */
export const pushOf = ({ pack, head }: Bomb, branch: string): Buffer =>
  Buffer.concat([
    Buffer.from(`${line(`${'0'.repeat(40)} ${head} refs/heads/${branch}\0report-status side-band-64k\n`)}0000`),
    pack,
  ]);

/** The request of a fetch that says `have` `count` times, in gzip: 54 bytes each that pack to a fraction of one. */
export const gzipBomb = (count: number): Buffer =>
  gzipSync(
    Buffer.from(
      `0014command=ls-refs\n0001${line(`ref-prefix ${'a'.repeat(60_000)}`).repeat(Math.ceil(count / 1_000))}0000`,
    ),
    { level: 9 },
  );
