import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const headerBytes = 8;
const fanoutBytes = 1_024;
const idBytes = 20;

/** The objects of a pack, and which of them were marked. */
export interface PackIndex {
  /** `pack-<40 hexadecimal digits>`. */
  readonly name: string;
  /** Objects in the pack. */
  readonly count: number;
  /** Objects that were marked. */
  readonly marked: number;
  /** True when the pack has the object. */
  has(id: Buffer): boolean;
  /** Marks the object; false when the pack does not have it. */
  mark(id: Buffer): boolean;
  /** Ids of the marked objects, each valid until the next one. */
  markedIds(): Generator<Buffer>;
}

/** Where an id is among the sorted `ids`, from `low` to before `high`; -1 for nowhere. */
function find(ids: Buffer, id: Buffer, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = ids.compare(id, 0, idBytes, middle * idBytes, (middle + 1) * idBytes);
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return -1;
}

function packIndex(name: string, fanout: Buffer, ids: Buffer): PackIndex {
  const count = ids.length / idBytes;
  const bits = new Uint8Array(Math.ceil(count / 8));
  let marked = 0;
  const at = (id: Buffer): number => {
    const first = id[0] ?? 0;
    return find(ids, id, first === 0 ? 0 : fanout.readUInt32BE((first - 1) * 4), fanout.readUInt32BE(first * 4));
  };
  return {
    name,
    count,
    get marked() {
      return marked;
    },
    has: (id) => at(id) >= 0,
    mark(id) {
      const place = at(id);
      if (place < 0) return false;
      const bit = 1 << (place & 7);
      if (((bits[place >> 3] ?? 0) & bit) === 0) {
        bits[place >> 3]! |= bit;
        marked += 1;
      }
      return true;
    },
    *markedIds() {
      for (let place = 0; place < count; place += 1) {
        if (((bits[place >> 3] ?? 0) & (1 << (place & 7))) === 0) continue;
        yield ids.subarray(place * idBytes, (place + 1) * idBytes);
      }
    },
  };
}

async function readPackIndex(folder: string, name: string): Promise<PackIndex> {
  const file = await open(join(folder, `${name}.idx`));
  try {
    const head = Buffer.alloc(headerBytes + fanoutBytes);
    await file.read(head, 0, head.length, 0);
    // Version 2, the only one that git writes: magic number, version, 256 running totals, then the sorted ids.
    if (head.readUInt32BE(0) !== 0xff744f63 || head.readUInt32BE(4) !== 2) throw new Error(`no pack index: ${name}`);
    const fanout = head.subarray(headerBytes);
    const ids = Buffer.alloc(fanout.readUInt32BE(255 * 4) * idBytes);
    const { bytesRead } = await file.read(ids, 0, ids.length, head.length);
    if (bytesRead < ids.length) throw new Error(`a pack index ends early: ${name}`);
    return packIndex(name, fanout, ids);
  } finally {
    await file.close();
  }
}

/**
 * The indexes of all packs of an object store, in memory: 20 bytes an object.
 * @throws ENOENT when a pack disappears meanwhile
 */
export async function readPackIndexes(objects: string): Promise<PackIndex[]> {
  const folder = join(objects, 'pack');
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^pack-[0-9a-f]{40}\.idx$/.test(name));
  const indexes: PackIndex[] = [];
  for (const name of names.sort()) indexes.push(await readPackIndex(folder, name.slice(0, -'.idx'.length)));
  return indexes;
}
