import { createPrivateKey, createPublicKey, hash, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError } from '@switchyard/errors';
import { type Access, type Actor, Claims, SignedClaims } from '@switchyard/protos/rpc/v1/identity';
import { following } from '@switchyard/secrets';
import type { UsedClaims } from './used-claims';

/** Metadata and HTTP header key under which the signed claims travel. */
export const identityKey = 'switchyard-identity-bin';

/** How long signed claims are good for, seconds (D3). */
const lifetime = 300;

/** A process that signs its calls: its name and Ed25519 private key. */
export interface Signer {
  readonly name: string;
  readonly key: KeyObject;
}

/** Public keys of the processes whose calls are believed, by process name: several while its key changes. */
export interface TrustedKeys {
  get(name: string): KeyObject | readonly KeyObject[] | undefined;
}

/** For whom and on what a call is made. */
export interface Identity {
  actor?: Actor;
  access?: Access;
  /** Directory sequence at which actor and access were resolved; 0 when none was needed. */
  directorySequence?: number;
  /** Address the public request came from; of a forwarded request alone. */
  address?: string | undefined;
}

/** Reads a process's private key (PEM, Ed25519), and its successors when the file changes. */
export function readSigner(name: string, keyFile: string): Signer {
  const read = () => named('SWITCHYARD_IDENTITY_KEY_FILE', keyFile, () => createPrivateKey(readFileSync(keyFile)));
  const key = following(keyFile, read);
  return {
    name,
    get key() {
      return key();
    },
  };
}

const publicKeys = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/**
 * Reads a JSON object of process name → public keys (PEM, one after the other), and reads it again when the file
 * changes.
 */
export function readTrustedKeys(file: string): TrustedKeys {
  const read = () =>
    named(
      'SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE',
      file,
      () =>
        new Map(
          Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>).map(([name, pem]) => [
            name,
            // What contains no key is given to the library, whose error says so.
            (pem.match(publicKeys) ?? [pem]).map((one) => createPublicKey(one)),
          ]),
        ),
    );
  const keys = following(file, read);
  return { get: (name) => keys().get(name) };
}

const keysOf = (trusted: TrustedKeys, name: string): readonly KeyObject[] => [trusted.get(name) ?? []].flat();

/**
 * Refuses the private key of another process: all calls that it signs would be refused. Without public keys of the
 * process there is nothing to compare with.
 * @throws Error with one line that names the variable
 */
export function assertOwnKey({ name, key }: Signer, trusted: TrustedKeys): void {
  const known = keysOf(trusted, name);
  const own = createPublicKey(key);
  if (known.length > 0 && !known.some((one) => one.equals(own)))
    throw new Error(`SWITCHYARD_IDENTITY_KEY_FILE: is not a key of ${name} in SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE`);
}

/** The error of the key library names neither the file nor the variable. */
function named<T>(variable: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${variable}: ${file} holds no usable key: ${(error as Error).message}`, { cause: error });
  }
}

/** This run of this process, as claims name it, and how many it has signed. */
const run = randomBytes(16).toString('base64url');
let signed = 0;

const nothing = Buffer.alloc(0);
const digestOf = (content: Uint8Array | undefined): Buffer =>
  content === undefined ? nothing : hash('sha256', content, 'buffer');

/** What the claims of a forwarded request name as its method. `url` is path and query, as the request line has them. */
export const forwardedMethod = (method: string, url: string): string => `HTTP ${method} ${url}`;

/**
 * Signs `identity` for one call: one method, one request id, one content, once, within five minutes. A call that is
 * made again is signed again.
 * @param content the encoded request message; left out for a forwarded request, whose body streams
 */
export function signClaims(
  signer: Signer,
  method: string,
  requestId: string,
  identity: Identity,
  content?: Uint8Array,
): Buffer {
  signed += 1;
  const claims = Claims.encode({
    caller: signer.name,
    method,
    requestId,
    expiresAt: Math.floor(Date.now() / 1000) + lifetime,
    actor: identity.actor,
    access: identity.access,
    directorySequence: identity.directorySequence ?? 0,
    contentDigest: digestOf(content),
    run,
    sequence: signed,
    address: identity.address ?? '',
  }).finish();
  return Buffer.from(
    SignedClaims.encode({ claims: Buffer.from(claims), signature: sign(undefined, claims, signer.key) }).finish(),
  );
}

/** Why a call is refused: its claims are not valid for it. */
export class ClaimsRefused extends AppError {
  constructor() {
    super('unauthorized');
  }
}

/** What arrived with a call. */
export interface PresentedCall {
  readonly method: string;
  /** The encoded request message; absent for a forwarded request. */
  readonly content?: Uint8Array;
  /** Encoded `SignedClaims`. */
  readonly signed: Buffer | undefined;
}

/**
 * Verifies the signed claims of a call, and notes that they have been used.
 * @throws ClaimsRefused when absent, malformed, of an unknown signer, wrongly signed, for another method or content,
 * expired or used before
 */
export function verifyClaims(trusted: TrustedKeys, used: UsedClaims, call: PresentedCall): Claims {
  const claims = call.signed === undefined ? undefined : genuineClaims(trusted, call.signed);
  const fits =
    claims !== undefined &&
    claims.method === call.method &&
    digestOf(call.content).equals(claims.contentDigest) &&
    claims.expiresAt >= Date.now() / 1000;
  // Last: what others send without a key must not use up anything.
  if (!fits || !used.take(claims)) throw new ClaimsRefused();
  return claims;
}

/** The claims, if their caller signed them. Unreadable claims are not genuine, whatever the parser reports. */
function genuineClaims(trusted: TrustedKeys, signed: Buffer): Claims | undefined {
  try {
    const envelope = SignedClaims.decode(signed);
    const claims = Claims.decode(envelope.claims);
    const keys = keysOf(trusted, claims.caller);
    return keys.some((key) => verify(undefined, envelope.claims, key, envelope.signature)) ? claims : undefined;
  } catch {
    return undefined;
  }
}
