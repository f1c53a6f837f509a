import { once } from 'node:events';
import type { BlobStore } from '../src/blob-store';

async function* pieces(...given: (string | Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const one of given) {
    if (one instanceof Error) throw one;
    yield Buffer.from(one as string);
  }
}

/** What every driver promises. */
export function blobStoreContract(given: () => BlobStore): void {
  const read = async (key: string): Promise<Buffer | undefined> => {
    const blob = await given().open(key);
    if (blob === undefined) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of blob.content) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    expect(blob.size).toBe(content.length);
    return content;
  };

  it('gives back what was written', async () => {
    expect(await given().write('kind/a', pieces('one ', 'two'))).toBe(7);
    expect(await read('kind/a')).toEqual(Buffer.from('one two'));
    expect(await read('kind/b')).toBeUndefined();
  });

  it('stores no bytes, and more than one part of an upload', async () => {
    const much = Buffer.alloc(3 << 20, 'x');
    expect(await given().write('kind/empty', pieces())).toBe(0);
    expect(await read('kind/empty')).toEqual(Buffer.alloc(0));
    expect(await given().write('kind/much', pieces(much, much, much))).toBe(9 << 20);
    expect((await read('kind/much'))?.equals(Buffer.concat([much, much, much]))).toBe(true);
  });

  it('keeps the order of chunks of any size', async () => {
    const chunks = Array.from({ length: 1_500 }, (_, at) => Buffer.alloc(at % 7 === 0 ? 40_000 : at % 5, at % 251));
    expect(await given().write('kind/chunks', pieces(...chunks))).toBe(Buffer.concat(chunks).length);
    expect((await read('kind/chunks'))?.equals(Buffer.concat(chunks))).toBe(true);
  });

  it.each([0, 6 << 20])('shows nothing of a content that breaks off after %p bytes', async (size) => {
    const failure = new Error('broke off');
    const key = `kind/broken-${size}`;
    await expect(given().write(key, pieces(Buffer.alloc(size, 'x'), failure))).rejects.toBe(failure);
    expect(await read(key)).toBeUndefined();
    await given().remove(key);
    expect(await given().write(key, pieces('again'))).toBe(5);
  });

  it.each([
    [0, 1, 'ab'],
    [2, 4, 'cde'],
    [3, 5, 'def'],
  ])('gives back the bytes %p to %p of a blob, and the size of the whole', async (start, end, part) => {
    const key = `kind/part-${start}`;
    await given().write(key, pieces('abc', 'def'));
    const blob = await given().open(key, { start, end });
    const chunks: Buffer[] = [];
    for await (const chunk of blob?.content ?? []) chunks.push(chunk as Buffer);
    expect([blob?.size, Buffer.concat(chunks).toString()]).toEqual([6, part]);
    expect(await given().open('kind/none', { start, end })).toBeUndefined();
  });

  it('removes, once and again', async () => {
    await given().write('kind/gone', pieces('x'));
    await given().remove('kind/gone');
    await given().remove('kind/gone');
    expect(await read('kind/gone')).toBeUndefined();
  });

  it('goes on with a blob that is being read when it is removed', async () => {
    await given().write('kind/read', pieces(Buffer.alloc(1 << 20, 'y')));
    const blob = await given().open('kind/read');
    await given().remove('kind/read');
    let size = 0;
    for await (const chunk of blob?.content ?? []) size += (chunk as Buffer).length;
    expect(size).toBe(1 << 20);
  });

  it('can be left half read', async () => {
    await given().write('kind/half', pieces(Buffer.alloc(1 << 20, 'z')));
    const blob = await given().open('kind/half');
    const closed = once(blob?.content as NonNullable<typeof blob>['content'], 'close');
    blob?.content.destroy();
    await closed;
  });

  it.each([
    'a',
    '../a',
    'kind/../a',
    '/kind/a',
    'kind//a',
    'kind/a.part',
    'kind/A',
    'kind/a\0',
    `kind/${'a'.repeat(200)}`,
  ])('refuses the key %p', async (key) => {
    await expect(given().write(key, pieces('x'))).rejects.toThrow('blob key');
    await expect(given().open(key)).rejects.toThrow('blob key');
    await expect(given().remove(key)).rejects.toThrow('blob key');
  });
}
