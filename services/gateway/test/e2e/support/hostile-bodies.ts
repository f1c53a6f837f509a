import type { RawRequest } from './raw-client';

/** Hostile bodies, sent to a path that takes POST, and the status that refuses each. */
export function hostileBodies(path: string): [name: string, request: RawRequest, status: number][] {
  const type = { 'Content-Type': 'application/json' };
  const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  return [
    ['malformed JSON', { method: 'POST', path, headers: type, body: '{"name":' }, 400],
    ['a bare array', { method: 'POST', path, headers: type, body: '[1]' }, 400],
    ['a bare number', { method: 'POST', path, headers: type, body: '1e999' }, 400],
    ['depth 33', { method: 'POST', path, headers: type, body: deep(33) }, 400],
    ['depth 1,000,000', { method: 'POST', path, headers: type, body: deep(800_000) }, 400],
    ['__proto__', { method: 'POST', path, headers: type, body: '{"__proto__":{"admin":true}}' }, 400],
    ['constructor', { method: 'POST', path, headers: type, body: '{"a":{"constructor":1}}' }, 400],
    ['__proto__ in brackets', { method: 'GET', path: `${path}?__proto__[x]=1` }, 400],
    ['encoded __proto__', { method: 'GET', path: `${path}?a[%5F%5Fproto%5F%5F]=1` }, 400],
    [
      '10,000 keys',
      {
        method: 'POST',
        path,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: Array.from({ length: 10_000 }, (_, index) => `a[${index}]=1`).join('&'),
      },
      400,
    ],
    ['brackets 40 deep', { method: 'GET', path: `${path}?a${'[b]'.repeat(40)}=1` }, 400],
    ['XML', { method: 'POST', path, headers: { 'Content-Type': 'text/xml' }, body: '<a/>' }, 415],
    ['no type', { method: 'POST', path, headers: {}, body: 'x' }, 415],
    ['6 MiB', { method: 'POST', path, headers: type, body: `{"name":"${'x'.repeat(6 << 20)}"}` }, 413],
    [
      '6 MiB multipart',
      {
        method: 'POST',
        path,
        headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
        body: `--line\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(6 << 20)}\r\n--line--\r\n`,
      },
      413,
    ],
    [
      'a file that breaks off',
      {
        method: 'POST',
        path,
        headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
        body: '--line\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\nx',
      },
      400,
    ],
    [
      'multipart without end',
      {
        method: 'POST',
        path,
        headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
        body: '--line\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
      },
      400,
    ],
    [
      'multipart without boundary',
      { method: 'POST', path, headers: { 'Content-Type': 'multipart/form-data' }, body: 'x' },
      400,
    ],
    [
      'unknown encoding',
      { method: 'POST', path, headers: { ...type, 'Content-Encoding': 'zstd-of-mine' }, body: 'x' },
      415,
    ],
    ['a broken gzip', { method: 'POST', path, headers: { ...type, 'Content-Encoding': 'gzip' }, body: 'xxxx' }, 400],
  ];
}
