import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { checkArchive } from '../../src/archive-imports/application/check-archive';
import { readEntries } from '../../src/archive-imports/application/read-archive';
import type { ProjectSources } from '../../src/project-exports/application/exports.ports';
import { packArchive } from '../../src/project-exports/application/pack-archive';
import { type WritingEdges, writeArchive } from '../../src/project-exports/application/write-archive';
import { archiveBounds, isInBounds } from '../../src/project-exports/domain/archive-bounds';

const mebibyte = 1 << 20;
const zeros = Buffer.alloc(6 * mebibyte);
const page = Buffer.from(`${JSON.stringify({ id: 1, note: 'The same words. '.repeat(65_000) })}\n`.repeat(5));

const sources: ProjectSources = {
  async records(_owner, kind, _project, after) {
    const count = kind === 'notes' && after < 2 ? 5 : 0;
    return { lines: count === 0 ? Buffer.alloc(0) : page, count, next: after + 1 };
  },
  bundle: (kind) => Readable.from(kind === 'wiki' ? [] : [zeros, zeros]),
  async *uploads() {
    const upload = { secret: randomBytes(16).toString('hex'), fileName: 'a.txt', size: zeros.length, uploader: '' };
    yield { upload: { ...upload, createdAt: new Date(0) }, content: Readable.from([zeros]) };
  },
};

const lease = { export: { id: 1, projectId: 1, createdAt: new Date(0) }, lease: 'a', attempt: 1 } as never;

const edges = (write: WritingEdges['blobs']['write']): WritingEdges => ({
  sources,
  findProject: async () => ({ id: 1, fullPath: 'acme/things' }) as never,
  blobs: { write },
  remains: { expect: async () => undefined, renew: async () => undefined } as never,
  externalUrl: 'http://things.example',
});

it('what an export writes is read again, whatever its parts are packed to', async () => {
  const chunks: Buffer[] = [];
  const store = edges(async (_, content) => {
    for await (const chunk of content) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).length;
  });
  const { size } = await writeArchive(store)(lease, async () => undefined);
  expect(size).toBeLessThan(mebibyte);
  // Parts begin at any place of what is read at once.
  const whole = Buffer.concat(chunks);
  const pieces = Array.from({ length: Math.ceil(size / 777) }, (_, at) => whole.subarray(777 * at, 777 * (at + 1)));
  for (const content of [chunks, pieces]) {
    const open = async () => ({ content: Readable.from(content), size });
    let lines = 0;
    await checkArchive(readEntries({ blobs: { open } as never }, { blob: 'one', size }), size, async (_, given) => {
      lines += given.equals(page) ? 5 : 0;
    });
    expect(lines).toBe(10);
  }
});

const [most, parts] = [archiveBounds(0), 5];

it.each([
  ['text that repeats itself', most.unpacked / zeros.length + 2, () => ({ files: 0, fileBytes: 0 })],
  ['empty files', parts, (bytes: number) => ({ files: most.files + Math.floor(bytes / 1_536), fileBytes: 0 })],
  ['files that repeat themselves', parts, (bytes: number) => ({ files: 1, fileBytes: most.fileBytes + bytes })],
])('%s beyond what any archive may have makes a file large enough for its reader', async (_, count, filesOf) => {
  let unpacked = 0;
  async function* tar(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < count; at += 1) {
      unpacked += zeros.length;
      yield zeros;
    }
  }
  let size = 0;
  for await (const chunk of packArchive(tar(), () => filesOf(unpacked))) size += chunk.length;
  expect(isInBounds({ unpacked, ...filesOf(unpacked) }, size)).toBe(true);
});

it('a store that takes no more ends the export, and says why', async () => {
  const store = edges(async (_, content) => {
    for await (const _chunk of content) throw new Error('the disk is full');
    return 0;
  });
  await expect(writeArchive(store)(lease, async () => undefined)).rejects.toMatchObject({
    ...{ kind: 'unavailable', cause: expect.objectContaining({ message: 'the disk is full' }) },
  });
});
