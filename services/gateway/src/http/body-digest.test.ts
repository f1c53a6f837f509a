import { bodyDigest, withoutBoundary } from './body-digest';

const typeOf = (boundary: string) => `multipart/form-data; boundary="${boundary}"`;

/** The digest of a body that comes in pieces. */
function digestOf(body: string, type?: string, piece = 65_536): string {
  const digest = bodyDigest(type);
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += piece) digest.update(bytes.subarray(at, at + piece));
  return digest.digest().toString('hex');
}

const form = (boundary: string, parts: readonly (readonly [head: string, content: string])[]): string =>
  `${parts.map(([head, content]) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`).join('')}--${boundary}--\r\n`;

const parts = [
  ['Content-Disposition: form-data; name="a"', 'one'],
  ['Content-Disposition: form-data; name="file"; filename="x"', 'line\r\n--line\r\n-\r\n'],
] as const;

describe.each([1, 2, 7, 64, 65_536])('a form in pieces of %i bytes', (piece) => {
  const of = (boundary: string, given: Parameters<typeof form>[1] = parts, type = typeOf(boundary)) =>
    digestOf(form(boundary, given), type, piece);

  it('is the same whatever its boundary', () => {
    expect(of('abc')).toBe(of('----WebKitFormBoundary0123456789'));
    expect(of('abc')).toBe(of('xy', parts, 'multipart/form-data; boundary=xy; charset=utf-8'));
  });

  it('differs by its contents, heads, order, and where parts end', () => {
    const [first, second] = parts;
    const others = [
      [first],
      [second, first],
      [first, [second[0], 'line\r\n--line\r\n-\r\n ']],
      [[first[0], 'two'], second],
      [['Content-Disposition: form-data; name="b"', 'one'], second],
      [first, second, ['', '']],
    ] as const;
    const digests = new Set([of('abc'), ...others.map((given) => of('abc', given))]);
    expect(digests.size).toBe(others.length + 1);
  });
});

it('a body of nothing but boundaries is digested as bytes from the thousandth on', () => {
  const of = (boundary: string, count: number, piece?: number) =>
    digestOf(`\r\n--${boundary}`.repeat(count), typeOf(boundary), piece);
  expect(of('abc', 1_000)).toBe(of('xyz', 1_000));
  expect(of('abc', 1_002)).not.toBe(of('xyz', 1_002));
  expect(of('abc', 3_000, 5)).toBe(of('abc', 3_000));
});

it('a form is not the bytes of another one with its boundary in a file', () => {
  const [type, content] = [typeOf('abc'), 'one\r\n--xyz\r\ntwo'];
  expect(digestOf(form('abc', [['h', content]]), type)).not.toBe(
    digestOf(form('abc', [['h', content.replace('xyz', 'abc')]]), type),
  );
});

it('a file is its bytes, whatever its type says', () => {
  expect(digestOf('--abc\r\n', 'application/octet-stream')).not.toBe(digestOf('--xyz\r\n', 'application/octet-stream'));
  expect(digestOf('content', undefined, 2)).toBe(digestOf('content', 'text/plain; boundary=abc', 3));
  expect(digestOf('')).not.toBe(digestOf('\0'));
});

it('counts a boundary as one byte, so what is read again is bounded', () => {
  const sizeOf = (boundary: string) => {
    const digest = bodyDigest(typeOf(boundary));
    digest.update(Buffer.from(form(boundary, parts)));
    digest.digest();
    return digest.size;
  };
  expect(sizeOf('abc')).toBe(sizeOf('a much longer boundary'));
  const endless = bodyDigest(typeOf('abc'));
  endless.update(Buffer.from('\r\n--abc'.repeat(1_000)));
  expect(endless.size).toBeGreaterThanOrEqual(1_000);
});

it.each([
  ['multipart/form-data; boundary=abc', 'multipart/form-data'],
  ['multipart/form-data;boundary="a b"; charset=utf-8', 'multipart/form-data; charset=utf-8'],
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
])('%s without its boundary', (type, expected) => expect(withoutBoundary(type)).toBe(expected));
