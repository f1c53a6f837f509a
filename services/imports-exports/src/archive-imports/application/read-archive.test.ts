import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { archivePages } from './read-archive';

const names = [
  'format.json',
  'records/project/000001.ndjson',
  'records/labels/000001.ndjson',
  'records/later_kind/000001.ndjson',
  'records/issues/000001.ndjson',
  'records/issues/000002.ndjson',
  'repository.bundle/000001',
  'end.json',
];

it('reads an archive once for all kinds in their order, those that it lacks among them', async () => {
  const archive = pack();
  for (const name of names) archive.entry({ name }, name);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  const content = gzipSync(Buffer.concat(chunks));
  let passes = 0;
  const blobs = {
    open: async () => {
      passes += 1;
      return { content: Readable.from([content]), size: content.length };
    },
  };
  const pages = archivePages({ blobs: blobs as never }, { blob: 'one', size: content.length });
  const read = async (kind: string, page = 1) => {
    const found = await pages.page(kind, page);
    return found && [found.lines.toString(), found.isLast];
  };
  expect(await read('members')).toBeUndefined();
  expect(await read('labels')).toEqual([names[2], true]);
  expect(await read('milestones')).toBeUndefined();
  expect(await read('releases')).toBeUndefined();
  expect(await read('issues')).toEqual([names[4], false]);
  expect(await read('issues', 2)).toEqual([names[5], true]);
  expect(await read('notes')).toBeUndefined();
  expect(passes).toBe(1);
  expect(await read('project')).toEqual([names[1], true]);
  expect(await read('issues', 2)).toEqual([names[5], true]);
  expect(passes).toBe(2);
  await pages.close();
});
