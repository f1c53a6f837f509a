import { isLicenseId, readCycloneDx, readParts } from '../../boms';
import { readInThread } from './read-in-thread';

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 65_536) yield Buffer.from(text.slice(at, at + 65_536));
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const bom = (components: object[]) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components });
const components = (count: number, inside: object[] = []) =>
  Array.from({ length: count }, (_, at) => ({ type: 'file', name: `f${at}`, components: inside }));

it('says what a report says, with more readers than threads', async () => {
  const text = bom([...components(3_000), { type: 'file', name: 'outer', components: components(5_000) }]);
  const expected = await all(readCycloneDx(chunksOf(text), (parts) => readParts(parts, isLicenseId)));
  expect(expected).toHaveLength(8_001);
  const read = readInThread(1);
  const both = await Promise.all([all(read(chunksOf(text))), all(read(chunksOf(text)))]);
  expect(both).toEqual([expected, expected]);
});

it('goes on reading others after one that is refused, and one whose reader is gone', async () => {
  const read = readInThread(1);
  const wrong = all(read(chunksOf(bom(components(3_000).map(() => ({}))))));
  await expect(wrong).rejects.toMatchObject({ kind: 'invalid_params' });
  for await (const _ of read(chunksOf(bom(components(3_000))))) break;
  const gone = new AbortController();
  gone.abort();
  await expect(all(read(chunksOf(bom(components(1))), gone.signal))).rejects.toMatchObject({ name: 'AbortError' });
  expect(await all(read(chunksOf(bom(components(2)))))).toHaveLength(2);
});
