import { generateKeyPairSync } from 'node:crypto';
import { readFingerprint, readPublicKey } from './public-key';

const field = (bytes: Buffer | string): Buffer => {
  const content = Buffer.from(bytes as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
};
const lineOf = (type: string, ...parts: (Buffer | string)[]): string =>
  `${type} ${Buffer.concat([type, ...parts].map(field)).toString('base64')}`;

const number = (base64url: string): Buffer => {
  const bytes = Buffer.from(base64url, 'base64url');
  return (bytes[0] as number) >= 128 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
};
function rsa(modulusLength: number): string {
  const { e = '', n = '' } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  return lineOf('ssh-rsa', number(e), number(n));
}
function point(namedCurve: string): Buffer {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}
const edPoint = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
const ed25519 = lineOf('ssh-ed25519', edPoint);

test.each([
  ['ssh-ed25519', ed25519],
  ['ssh-rsa', rsa(2_048)],
  ['ecdsa-sha2-nistp256', lineOf('ecdsa-sha2-nistp256', 'nistp256', point('P-256'))],
  ['ecdsa-sha2-nistp521', lineOf('ecdsa-sha2-nistp521', 'nistp521', point('P-521'))],
  ['sk-ssh-ed25519@openssh.com', lineOf('sk-ssh-ed25519@openssh.com', edPoint, 'ssh:')],
  [
    'sk-ecdsa-sha2-nistp256@openssh.com',
    lineOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point('P-256'), 'ssh:'),
  ],
])('a key of type %s is taken without its comment', (_, line) => {
  expect(readPublicKey(`  ${line}  ada@example.com\n`)).toMatchObject({ text: line });
});

test('fingerprints are those that ssh-keygen prints', () => {
  const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPaDce9XR1jU3J+/QgJFS5E22X8XnrCnuHMR9sXqjiVI';
  expect(readPublicKey(line)).toMatchObject({
    md5: 'd9:25:95:32:48:27:fd:75:79:b8:b7:16:a8:43:25:6c',
    sha256: '4HveTLJn6eWeAKGclwVmd3a2x0fP5q0eOk6TpEikD7E',
  });
});

const invalid = 'is invalid';
const twisted = (line: string): string => `${line.slice(0, -8)}AAAA${line.slice(-4)}`;
test.each([
  ['nothing', ' ', "can't be blank"],
  ['options', `command="rm" ${ed25519}`, invalid],
  ['a second line', `${ed25519}\n${ed25519}`, invalid],
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----', invalid],
  ['another type than its material', ed25519.replace('ssh-ed25519', 'ssh-rsa'), invalid],
  ['another curve than its type', lineOf('ecdsa-sha2-nistp256', 'nistp384', point('P-384')), invalid],
  ['a point off its curve', lineOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.alloc(65, 4)), invalid],
  ['material that is cut', ed25519.slice(0, -4), invalid],
  ['base64 that is none', twisted(ed25519).replace('AAAA', 'A=AA'), invalid],
  ['the name of a property', 'constructor AAAA', invalid],
  [
    'DSA',
    lineOf('ssh-dss', 'p', 'q', 'g', 'y'),
    'type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK',
  ],
  ['RSA of 512 bits', lineOf('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(64, 127)), 'must be at least 2048 bits'],
  ['a megabyte', `ssh-rsa ${'A'.repeat(1 << 20)}`, 'is too long (maximum is 5000 characters)'],
])('%s is refused', (_, line, text) => expect(readPublicKey(line)).toBe(text));

test.each([
  [`SHA256:${'a'.repeat(43)}`, { sha256: 'a'.repeat(43) }],
  [`MD5:${'AB:'.repeat(15)}cd`, { md5: `${'ab:'.repeat(15)}cd` }],
  [`${'ab:'.repeat(15)}cd`, { md5: `${'ab:'.repeat(15)}cd` }],
  ['SHA256:short', undefined],
  ['', undefined],
])('G-4.10-2: the fingerprint %p', (written, expected) => expect(readFingerprint(written)).toEqual(expected));
