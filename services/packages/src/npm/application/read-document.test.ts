import { readDocument } from './read-document';

async function* chunked(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 7) {
  const document = readDocument(chunked(text, size));
  const attachment = await document.attachment();
  const content: Buffer[] = [];
  if (attachment) for await (const chunk of attachment.content) content.push(chunk);
  return { name: attachment?.fileName, content: Buffer.concat(content), rest: await document.rest() };
}

const data = Buffer.from(Array.from({ length: 100_001 }, (_, at) => at % 251));
const attachments = { 'a.tgz': { data: data.toString('base64'), length: 3 } };

it.each([5, 1_000, 1 << 20])('passes a tarball by, wherever it stands and the bytes are cut (%i)', async (size) => {
  const rest = {
    name: 'é',
    _attachments: { 'a.tgz': { data: '', length: 3 } },
    versions: { '1': { n: 1.5, a: [true, null, '\n'] } },
  };
  for (const document of [
    { name: 'é', _attachments: attachments, versions: rest.versions },
    { _attachments: attachments, versions: rest.versions, name: 'é' },
    { versions: rest.versions, name: 'é', _attachments: attachments },
  ]) {
    const found = await read(JSON.stringify(document), size);
    expect(found.content.equals(data)).toBe(true);
    expect(found).toMatchObject({ name: 'a.tgz', rest });
  }
});

it('has no attachment where there is none', async () => {
  expect(await read('{"versions":{"1.0.0":{"deprecated":"x"}}}')).toMatchObject({
    name: undefined,
    rest: { versions: { '1.0.0': { deprecated: 'x' } } },
  });
});

it.each([
  ['[]', 'not a JSON object'],
  ['"x"', 'not a JSON object'],
  ['', 'not a JSON object'],
  ['{"a":1', 'not a JSON object'],
  ['{"a":}', 'not a JSON object'],
  ['{"a":1}{}', 'not a JSON object'],
  ['{"a":"\\u0000"}', 'a text of the body is invalid'],
  ['{"a":"\\ud800"}', 'a text of the body is invalid'],
  ['{"__proto__":{"x":1}}', 'a text of the body is invalid'],
  [`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'too complex'],
  [JSON.stringify({ _attachments: { a: { data: '' }, b: { data: '' } } }), 'more than one attachment'],
  [JSON.stringify({ a: 'x'.repeat(17 << 20) }), 'too large'],
])('refuses the document %.40s', async (text, error) => {
  await expect(read(text, 1 << 20)).rejects.toThrow(error);
});
