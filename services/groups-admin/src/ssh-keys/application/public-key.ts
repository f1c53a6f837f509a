import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto';
import type { PublicKey } from '../domain/ssh-key';

/** Most characters of a key with its comment: an RSA key of 16,384 bits has some 2,800. */
const maxLength = 5_000;

/** Lengths of RSA moduli, bits. Shorter ones can be broken; longer ones cost the server seconds of work. */
const rsaBits = { min: 2_048, max: 16_384 };

const forbidden = 'type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK';

const curves: Readonly<Record<string, { name: string; bytes: number }>> = {
  nistp256: { name: 'P-256', bytes: 32 },
  nistp384: { name: 'P-384', bytes: 48 },
  nistp521: { name: 'P-521', bytes: 66 },
};

/** Strings of the SSH wire format, each with its length before it (RFC 4251, 5); undefined for anything else. */
function stringsOf(material: Buffer): Buffer[] | undefined {
  const strings: Buffer[] = [];
  for (let at = 0; at < material.length; ) {
    if (at + 4 > material.length) return undefined;
    const end = at + 4 + material.readUInt32BE(at);
    if (end > material.length) return undefined;
    strings.push(material.subarray(at + 4, end));
    at = end;
  }
  return strings;
}

/** Bits of a positive number of the wire format. */
function bitsOf(number: Buffer): number {
  const start = number.findIndex((byte) => byte !== 0);
  return start === -1 ? 0 : (number.length - start) * 8 - Math.clz32(number[start] as number) + 24;
}

function isKey(key: JsonWebKey): boolean {
  try {
    createPublicKey({ key, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** Whether these are the curve and an uncompressed point on it. */
function isPoint(curve: Buffer | undefined, point: Buffer | undefined): boolean {
  const known = Object.hasOwn(curves, String(curve)) ? curves[String(curve)] : undefined;
  if (known === undefined || point?.length !== 1 + 2 * known.bytes || point[0] !== 4) return false;
  const [x, y] = [point.subarray(1, 1 + known.bytes), point.subarray(1 + known.bytes)];
  return isKey({ kty: 'EC', crv: known.name, x: x.toString('base64url'), y: y.toString('base64url') });
}

const isEd25519 = (point: Buffer | undefined): boolean =>
  point?.length === 32 && isKey({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') });

const invalid = 'is invalid';
const whenNot = (valid: boolean): string | undefined => (valid ? undefined : invalid);

function rsaProblem(exponent: Buffer | undefined, modulus: Buffer | undefined): string | undefined {
  if (exponent === undefined || modulus === undefined) return invalid;
  if (bitsOf(modulus) < rsaBits.min) return `must be at least ${rsaBits.min} bits`;
  const isOdd = (number: Buffer): boolean => ((number.at(-1) ?? 0) & 1) === 1;
  return whenNot(
    bitsOf(modulus) <= rsaBits.max &&
      bitsOf(exponent) >= 2 &&
      bitsOf(exponent) <= 64 &&
      isOdd(exponent) &&
      isOdd(modulus),
  );
}

/** Types that are taken: how many strings they have in addition to the type, and what is wrong with those. */
const types: Readonly<Record<string, { strings: number; problem: (parts: readonly Buffer[]) => string | undefined }>> =
  {
    'ssh-rsa': { strings: 2, problem: ([exponent, modulus]) => rsaProblem(exponent, modulus) },
    'ssh-ed25519': { strings: 1, problem: ([point]) => whenNot(isEd25519(point)) },
    'ecdsa-sha2-nistp256': { strings: 2, problem: ([curve, point]) => whenNot(isPoint(curve, point)) },
    'ecdsa-sha2-nistp384': { strings: 2, problem: ([curve, point]) => whenNot(isPoint(curve, point)) },
    'ecdsa-sha2-nistp521': { strings: 2, problem: ([curve, point]) => whenNot(isPoint(curve, point)) },
    'sk-ssh-ed25519@openssh.com': { strings: 2, problem: ([point]) => whenNot(isEd25519(point)) },
    'sk-ecdsa-sha2-nistp256@openssh.com': { strings: 3, problem: ([curve, point]) => whenNot(isPoint(curve, point)) },
  };

/**
 * Reads one line of OpenSSH's public form. Options before the type are refused: they would be conditions that nothing
 * keeps.
 * @returns the key, or the text of what is wrong with it (G-7-3)
 */
export function readPublicKey(written: string): PublicKey | string {
  if (written.trim() === '') return "can't be blank";
  if (written.length > maxLength) return `is too long (maximum is ${maxLength} characters)`;
  const line = written.trim();
  const [type = '', encoded = ''] = line.split(/[ \t]+/, 2);
  if (type === 'ssh-dss') return forbidden;
  // Control characters, line breaks among them, have no place in a line.
  if (/[^\P{C}\t]/u.test(line) || !Object.hasOwn(types, type)) return invalid;
  const material = Buffer.from(encoded, 'base64');
  if (material.length === 0 || material.toString('base64') !== encoded) return invalid;
  const [name, ...parts] = stringsOf(material) ?? [];
  const known = types[type];
  if (known === undefined || name?.toString('latin1') !== type || parts.length !== known.strings) return invalid;
  // The type contains the curve as well.
  if (type.startsWith('ecdsa-') && !type.endsWith(`-${parts[0]}`)) return invalid;
  return known.problem(parts) ?? { text: `${type} ${encoded}`, ...fingerprintsOf(material) };
}

const fingerprintsOf = (material: Buffer): Pick<PublicKey, 'md5' | 'sha256'> => ({
  md5: createHash('md5')
    .update(material)
    .digest('hex')
    .replace(/..(?!$)/g, '$&:'),
  sha256: createHash('sha256').update(material).digest('base64').replace(/=+$/, ''),
});

/** A fingerprint as it is looked up; undefined for a malformed one (G-4.10-2). */
export function readFingerprint(written: string): Pick<PublicKey, 'md5'> | Pick<PublicKey, 'sha256'> | undefined {
  const text = written.trim();
  const [, sha256] = /^SHA256:([A-Za-z0-9+/]{43})=?$/.exec(text) ?? [];
  if (sha256 !== undefined) return { sha256 };
  const [, md5] = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i.exec(text) ?? [];
  return md5 === undefined ? undefined : { md5: md5.toLowerCase() };
}
