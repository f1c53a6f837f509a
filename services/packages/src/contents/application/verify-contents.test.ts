import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobStore } from '@switchyard/blobs';
import type { StoredContent } from '../domain/content';
import { verifyContents } from './verify-contents';

const digest = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');

const contentOf = (id: number, text: string): StoredContent => ({
  id,
  blob: `packages/${id}`,
  size: text.length,
  sha256: digest('sha256', text),
  sha1: digest('sha1', text),
  md5: digest('md5', text),
});

it('goes on after a blob that cannot be read, and passes by what was collected meanwhile', async () => {
  const stored: Record<string, () => Readable | undefined> = {
    'packages/1': () => Readable.from([Buffer.from('so'), Buffer.from('und')]),
    'packages/2': () =>
      Readable.from(
        (function* () {
          yield Buffer.from('to');
          throw new Error('EIO: i/o error, read');
        })(),
      ),
    'packages/3': () => Readable.from([Buffer.from('CHANGED')]),
    'packages/4': () => Readable.from([Buffer.from('more than there was')]),
    'packages/5': () => undefined,
    'packages/6': () => undefined,
  };
  const contents = ['sound', 'torn', 'changed', 'less', 'missing', 'collected'].map((text, at) =>
    contentOf(at + 1, text),
  );
  const store = {
    after: async (id: number, limit: number) => contents.filter((one) => one.id > id).slice(0, limit),
    exists: async (id: number) => id !== 6,
  };
  const blobs = {
    open: async (key: string) => {
      const content = stored[key]?.();
      return content === undefined ? undefined : { size: 0, content };
    },
  } as unknown as BlobStore;
  const found: [number, string | undefined][] = [];
  for await (const { content, difference } of verifyContents(store, blobs)) found.push([content.id, difference]);
  expect(found).toEqual([
    [1, undefined],
    [2, 'its blob cannot be read: EIO: i/o error, read'],
    [3, 'another sha256 and sha1 and md5'],
    [4, '19 bytes instead of 4'],
    [5, 'its blob is missing'],
  ]);
});
