import { PackageURL } from 'packageurl-js';
import type { ComponentHash, ComponentLicense } from './component';

/** Characters of a text of a component. */
const maxText = 10_000;

/**
 * A text as it is kept: well formed, without what a database or another reader cannot take, at most 10,000 characters;
 * undefined for what is no text or says nothing.
 */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, maxText).toWellFormed().replaceAll('\0', '\ufffd').trim();
  return text === '' ? undefined : text;
}

/** A package URL in its canonical spelling; undefined where it is none. */
export function canonicalPurl(written: string): string | undefined {
  try {
    return PackageURL.fromString(written).toString();
  } catch {
    return undefined;
  }
}

/** The package URL of a package. @param namespace segments of its name before the last, apart from each other */
export function purlOf(
  type: string,
  name: string,
  version: string | undefined,
  namespace?: string,
  qualifiers?: Record<string, string>,
): string | undefined {
  try {
    return new PackageURL(type, namespace, name, version, qualifiers, undefined).toString();
  } catch {
    return undefined;
  }
}

/** Hexadecimal digits of each algorithm that CycloneDX names. */
const digits: Readonly<Record<string, number>> = {
  MD5: 32,
  'SHA-1': 40,
  'SHA-256': 64,
  'SHA-384': 96,
  'SHA-512': 128,
  'SHA3-256': 64,
  'SHA3-384': 96,
  'SHA3-512': 128,
  'BLAKE2b-256': 64,
  'BLAKE2b-384': 96,
  'BLAKE2b-512': 128,
  BLAKE3: 64,
};

/** A digest of a component; undefined when the algorithm is not known or the digits are not its own. */
export function hashOf(alg: unknown, content: unknown): ComponentHash | undefined {
  if (typeof alg !== 'string' || typeof content !== 'string' || !Object.hasOwn(digits, alg)) return undefined;
  const isDigest = content.length === digits[alg] && /^[0-9a-f]+$/i.test(content);
  return isDigest ? { alg, content: content.toLowerCase() } : undefined;
}

const integrityAlgorithms: Readonly<Record<string, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

/** The digests of a text of subresource integrity, such as `sha512-…`, which npm and others keep. */
export function integrityHashes(integrity: unknown): ComponentHash[] {
  if (typeof integrity !== 'string') return [];
  return integrity
    .slice(0, 2_000)
    .split(/\s+/)
    .flatMap((one) => {
      const [, alg = '', digest = ''] = /^(sha1|sha256|sha384|sha512)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(one) ?? [];
      return hashOf(integrityAlgorithms[alg], Buffer.from(digest, 'base64').toString('hex')) ?? [];
    });
}

/** A licence as a lock file names it: an id, an expression or a name. @param isId whether a text is an id of SPDX */
export function licenseOf(value: unknown, isId: (text: string) => boolean): ComponentLicense | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (isId(text)) return { id: text };
  return / (?:AND|OR|WITH) /.test(text) ? { expression: text } : { name: text };
}
