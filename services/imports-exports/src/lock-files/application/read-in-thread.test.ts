import { readInThread } from './read-in-thread';

const { signal } = new AbortController();
const goMod = 'module x\n\nrequire example.com/m v1.2.3\n';
const unreadable = (value: string) => [
  { kind: 'property', property: { name: 'switchyard:dependency_scanning:unreadable_file:path', value } },
];

async function partsOf(read: ReturnType<typeof readInThread>, path: string, text: string) {
  const parts = [];
  for await (const part of read(path, text, signal)) parts.push(part);
  return parts;
}

it('gives what a file says, however much it is', async () => {
  const read = readInThread();
  const lines = Array.from({ length: 2_500 }, (_, at) => `require example.com/m${at} v1.0.0\n`).join('');
  const parts = await partsOf(read, 'go.mod', `module x\n${lines}`);
  expect(parts.filter(({ kind }) => kind === 'component')).toHaveLength(2_500);
  expect(await partsOf(read, 'deep/go.mod', goMod)).toContainEqual(
    expect.objectContaining({ component: expect.objectContaining({ purl: 'pkg:golang/example.com/m@v1.2.3' }) }),
  );
});

it('a file that takes too much memory or time is named as unreadable, and the next one is read', async () => {
  const read = readInThread({ milliseconds: 60_000, mebibytes: 32, most: 1 });
  const many = `{"lockfileVersion":3,"packages":{"":{}},"x":[${'[],'.repeat(2_000_000)}[]]}`;
  expect(await partsOf(read, 'package-lock.json', many)).toEqual(unreadable('package-lock.json'));
  expect((await partsOf(read, 'go.mod', goMod)).length).toBeGreaterThan(1);
  const hasty = readInThread({ milliseconds: 1, mebibytes: 32, most: 1 });
  expect(await partsOf(hasty, 'go.mod', goMod)).toEqual(unreadable('go.mod'));
});

it('ends with its caller', async () => {
  const caller = new AbortController();
  const parts = readInThread()('go.mod', goMod, caller.signal);
  const first = parts.next();
  caller.abort();
  await expect(first).rejects.toMatchObject({ name: 'AbortError' });
});
