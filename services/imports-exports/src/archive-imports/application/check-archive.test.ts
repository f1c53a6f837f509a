import { checkArchive } from './check-archive';
import type { ArchiveEntry } from './read-archive';

const mebibyte = 1 << 20;

/** Checks the entries of an archive of 10 MiB up to its first file, which has this size. */
function checked(size: number): Promise<void> {
  const entry = (place: ArchiveEntry['place'], bytes: number, content: object = {}): ArchiveEntry => {
    const text = Buffer.from(JSON.stringify(content));
    return { place, size: bytes, content: async () => text, chunks: [] as never };
  };
  const record = { secret: 'a'.repeat(32), file_name: 'a', size, uploader: null, created_at: '2026-01-02T03:04:05Z' };
  async function* entries() {
    yield entry({ part: 'format' }, 0, { format: 3 });
    yield entry({ part: 'uploads', page: 1 }, 0, record);
    yield entry({ part: 'uploads', page: 2 }, size);
  }
  return checkArchive(entries(), 10 * mebibyte, async () => undefined);
}

it('files may have three times the bytes of their archive, and 256 MiB', async () => {
  const said = (problem: string) => ({ body: { message: expect.stringContaining(problem) } });
  await expect(checked(286 * mebibyte)).rejects.toMatchObject(said('it was cut off'));
  await expect(checked(286 * mebibyte + 1)).rejects.toMatchObject(said('its files are far larger than it'));
});
