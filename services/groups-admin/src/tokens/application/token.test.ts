import { generateToken, mayBeToken, presentedDigest, tokenDigest } from './token';

test('a new token is of our form, passes its checksum, and is never the same', () => {
  const tokens = Array.from({ length: 200 }, () => generateToken());
  expect(new Set(tokens).size).toBe(200);
  for (const token of tokens) {
    expect(token).toMatch(/^glpat-[A-Za-z0-9_-]{20,}$/);
    expect(mayBeToken(token)).toBe(true);
  }
});

test('a token with one character changed is refused', () => {
  const token = generateToken();
  for (let at = 'glpat-'.length; at < token.length; at += 1) {
    const other = token[at] === 'a' ? 'b' : 'a';
    expect(mayBeToken(`${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBe(false);
  }
});

test('a token an operator chose may be of any form from 20 characters on', () => {
  expect(mayBeToken('0123456789-0123456789')).toBe(true);
  expect(mayBeToken('glpat-0123456789abcdef')).toBe(true);
  expect(mayBeToken('too short')).toBe(false);
  expect(mayBeToken('x'.repeat(256))).toBe(false);
});

test('a digest depends on the key', () => {
  const one = tokenDigest(Buffer.alloc(32, 1));
  const two = tokenDigest(Buffer.alloc(32, 2));
  expect(one('token')).toEqual(one('token'));
  expect(one('token')).not.toEqual(two('token'));
  expect(one('token')).toHaveLength(32);
});

test('deploy and job tokens have prefixes of their own, and are nothing else (G-5-8)', () => {
  const [deploy, job] = [generateToken('deploy'), generateToken('job')];
  expect(deploy).toMatch(/^gldt-[A-Za-z0-9_-]{20,}$/);
  expect(job).toMatch(/^glcbt-[A-Za-z0-9_-]{20,}$/);
  const digestOf = presentedDigest(tokenDigest(Buffer.alloc(32, 1)), undefined);
  expect([digestOf(deploy, 'deploy'), digestOf(job, 'job')]).toEqual([expect.any(Buffer), expect.any(Buffer)]);
  expect([digestOf(deploy, 'job'), digestOf(job, 'deploy'), digestOf(generateToken(), 'job')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(digestOf(`${job.slice(0, -1)}${job.endsWith('0') ? '1' : '0'}`, 'job')).toBeUndefined();
});
