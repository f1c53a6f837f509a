import { gzipSync } from 'node:zlib';
import { AppError } from '@switchyard/errors';
import { type Header, pack } from 'tar-stream';
import { inspectArchive } from './inspect-archive';

type Entry = Partial<Header> & Pick<Header, 'name'>;

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const header of entries) archive.entry(header, header.size === undefined ? '' : Buffer.alloc(header.size));
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const archiveOf = async (entries: readonly Entry[]): Promise<Buffer> => gzipSync(await tarOf(entries));

/** What is read of `wanted` in an archive, or the problem that it is refused for; and how much of it has passed. */
async function inspected(content: Buffer): Promise<{ found: string; passed: number }> {
  const archive = inspectArchive({
    unpacked: 1 << 20,
    entries: 20,
    wanted: 'wanted',
    wantedBytes: 100,
    refuse: (problem) => new AppError('bad_request', problem),
  });
  let passed = 0;
  try {
    const parts = Array.from({ length: Math.ceil(content.length / 512) }, (_, at) =>
      content.subarray(at * 512, (at + 1) * 512),
    );
    async function* body() {
      yield* parts;
    }
    for await (const chunk of archive.through(body())) passed += chunk.length;
    return { found: (await archive.file())?.toString() ?? 'nothing', passed };
  } catch (error) {
    return { found: String((error as AppError).body.message), passed };
  }
}

const wanted: Entry = { name: 'top/wanted', size: 1 };
const many = (count: number): Entry[] => Array.from({ length: count }, (_, at) => ({ name: `top/${at}` }));

it.each<[string, readonly Entry[]]>([
  ['\0', [wanted, { name: 'top/folder', type: 'directory' }, { name: './top/a..b/..c', size: 3 }]],
  ['nothing', many(20)],
  [
    'nothing',
    [
      { name: 'top/below/wanted', size: 1 },
      { name: 'top/WANTED', size: 1 },
    ],
  ],
  ['\0', [{ name: 'top/./wanted', size: 1 }]],
  ['nothing', [{ name: 'wanted', size: 1 }]],
  ['\0', [{ name: 'top/wanted', type: 'contiguous-file', size: 1 }]],
  ['file_twice', [wanted, wanted]],
  ['file_twice', [wanted, { name: 'top/./wanted', size: 1 }]],
  ['file_twice', [{ name: 'top//wanted', size: 1 }, wanted]],
  ['file_twice', [wanted, { name: './other/wanted', size: 1 }]],
  ['file_twice', [wanted, { name: './wanted', size: 1 }]],
  ['file_twice', [wanted, { name: 'top\\wanted', size: 1 }]],
  ['file_twice', [wanted, { name: 'top/Wanted', size: 1 }]],
  ['file_twice', [wanted, { name: 'top/wanted', type: 'contiguous-file', size: 1 }]],
  ['link_or_device', [wanted, { name: 'top/x', type: 'symlink', linkname: '/etc/passwd' }]],
  ['link_or_device', [wanted, { name: 'top/x', type: 'link', linkname: 'top/wanted' }]],
  ['link_or_device', [wanted, { name: 'top/x', type: 'character-device' }]],
  ['link_or_device', [wanted, { name: 'top/x', type: 'block-device' }]],
  ['link_or_device', [wanted, { name: 'top/x', type: 'fifo' }]],
  ['link_or_device', [{ name: 'top/wanted', type: 'symlink', linkname: 'other' }]],
  ['leads_out', [wanted, { name: 'top/../../x' }]],
  ['leads_out', [wanted, { name: '/etc/x' }]],
  ['leads_out', [wanted, { name: 'top\\..\\x' }]],
  ['leads_out', [wanted, { name: 'C:/x' }]],
  ['file_too_large', [{ name: 'top/wanted', size: 101 }]],
  ['unpacks_to_too_much', many(21)],
  ['unpacks_to_too_much', [wanted, { name: 'top/zeros', size: 2 << 20 }]],
])('finds %j', async (problem, entries) => {
  expect((await inspected(await archiveOf(entries))).found).toBe(problem);
});

describe('an entry that readers know by different names', () => {
  const tarPart = async (entry: Entry): Promise<Buffer> => (await tarOf([entry])).subarray(0, -1_024);
  /** A header with a content, of a type that no library writes. */
  async function header(type: string, content: string, odd: Record<string, string> = {}): Promise<Buffer> {
    const block = Buffer.from((await tarOf([{ name: 'header', size: content.length }])).subarray(0, 512));
    block.write(type, 156);
    const places: Readonly<Record<string, number>> = { size: 124, version: 263, prefix: 345, end: 508 };
    for (const [name, text] of Object.entries(odd)) block.write(text, places[name] ?? 0, 'latin1');
    block.fill(' ', 148, 156);
    block.write(
      `${block
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    return Buffer.concat([block, Buffer.from(content), Buffer.alloc(-content.length & 511)]);
  }
  const pax = (key: string, value: string): string => {
    const line = ` ${key}=${value}\n`;
    const length = line.length + 2;
    return `${length > 9 ? length : length - 1}${line}`;
  };
  const rest = async () => [await tarPart({ name: 'top/wanted', size: 1 }), Buffer.alloc(1_024)];

  it.each<[string, () => Promise<Buffer[]>]>([
    ['named_twice', async () => [await header('g', pax('path', 'top/innocent')), ...(await rest())]],
    ['named_twice', async () => [await header('g', pax('size', '1000000')), ...(await rest())]],
    [
      'named_twice',
      async () => [
        await tarPart({ name: 'top/first', size: 700 }),
        await header('x', pax('path', 'top/innocent')),
        await header('L', 'top/other\0'),
        ...(await rest()),
      ],
    ],
    [
      'named_twice',
      async () => [
        await header('x', pax('path', 'top/a')),
        await header('x', pax('mtime', '12345')),
        ...(await rest()),
      ],
    ],
    ['named_twice', async () => [await header('x', pax('GNU.sparse.name', 'top/a')), ...(await rest())]],
    [
      'named_twice',
      async () => [await header('x', pax('comment', `x\n${pax('path', 'top/a').slice(0, -1)}`)), ...(await rest())],
    ],
    ['named_twice', async () => [await header('x', pax('comment', 'x\n33\tpath=top/a')), ...(await rest())]],
    ['named_twice', async () => [await header('x', pax('size', '0x200')), ...(await rest())]],
    ['named_twice', async () => [await header('x', pax('unknown', 'abcdefg')), ...(await rest())]],
    ['named_twice', async () => [await header('x', '12 mtime=123'), ...(await rest())]],
    ['named_twice', async () => [await header('L', 'top/innocent\0more\0'), ...(await rest())]],
    ['no_archive', async () => [await header('x', pax('mtime', '12345'), { size: '\u0080' }), ...(await rest())]],
    ['named_twice', async () => [await header('x', pax('mtime', '12345'), { version: '01' }), ...(await rest())]],
    ['named_twice', async () => [await header('x', pax('mtime', '12345'), { end: 'tar\0' }), ...(await rest())]],
    ['named_twice', async () => [await header('x', pax('mtime', '12345'), { prefix: 'a\0b' }), ...(await rest())]],
    ['\0', async () => [await header('g', pax('comment', 'abcdefg')), ...(await rest())]],
    ['\0', async () => [await header('x', pax('mtime', '12345')), ...(await rest())]],
    ['nothing', async () => [await header('x', pax('path', 'top/innocent')), ...(await rest())]],
    ['nothing', async () => [await header('L', 'top/innocent\0'), ...(await rest())]],
  ])('finds %j', async (problem, parts) => {
    expect((await inspected(gzipSync(Buffer.concat(await parts())))).found).toBe(problem);
  });
});

it('refuses a bomb before it has come whole, and a bomb that follows the archive', async () => {
  const bomb = await archiveOf([wanted, { name: 'top/zeros', size: 64 << 20 }]);
  const { found, passed } = await inspected(bomb);
  expect(found).toBe('unpacks_to_too_much');
  expect(passed).toBeLessThan(bomb.length / 2);
  const sound = await archiveOf([wanted]);
  expect((await inspected(Buffer.concat([sound, gzipSync(Buffer.alloc(4 << 20))]))).found).toBe('unpacks_to_too_much');
});

it.each([
  ['no gzip', Buffer.from('text')],
  ['nothing', Buffer.alloc(0)],
  ['a gzip of no archive', gzipSync('x'.repeat(2_000))],
])('takes %s for no archive', async (_what, content) => {
  expect((await inspected(content)).found).toBe('no_archive');
});

it('takes an archive that goes on after its end for none, and zeros in a file or after the end for what they are', async () => {
  const [sound, more] = [await tarOf([wanted]), await tarOf([{ name: 'top/x', size: 1 }])];
  const long = `top/${'x'.repeat(600)}`;
  const zeros = await tarOf([
    { name: 'top/zeros', size: 5_000 },
    { name: 'top/none' },
    { name: long, size: 4_096 },
    wanted,
  ]);
  expect((await inspected(gzipSync(Buffer.concat([sound, more])))).found).toBe('no_archive');
  expect((await inspected(gzipSync(Buffer.concat([sound, Buffer.alloc(8_192), more])))).found).toBe('no_archive');
  expect((await inspected(gzipSync(Buffer.concat([zeros, more])))).found).toBe('no_archive');
  expect((await inspected(gzipSync(Buffer.concat([zeros, Buffer.alloc(8_192)])))).found).toBe('\0');
});

it('takes an archive that is cut for none', async () => {
  expect((await inspected((await archiveOf([wanted])).subarray(0, -12))).found).toBe('no_archive');
});
