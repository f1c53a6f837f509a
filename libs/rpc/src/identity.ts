import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError } from '@switchyard/errors';
import { type Access, type Actor, Claims, SignedClaims } from '@switchyard/protos/rpc/v1/identity';

/** Metadata and HTTP header key under which the signed claims travel. */
export const identityKey = 'switchyard-identity-bin';

/** How long signed claims are good for, seconds (D3). */
const lifetime = 300;

/** A process that signs its calls: its name and Ed25519 private key. */
export interface Signer {
  readonly name: string;
  readonly key: KeyObject;
}

/** Public keys of the processes whose calls are believed, by process name. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>;

/** For whom and on what a call is made. */
export interface Identity {
  actor?: Actor;
  access?: Access;
  /** Directory sequence at which actor and access were resolved; 0 when none was needed. */
  directorySequence?: number;
}

/** Reads a process's private key (PEM, Ed25519). */
export const readSigner = (name: string, keyFile: string): Signer => ({
  name,
  key: named('SWITCHYARD_IDENTITY_KEY_FILE', keyFile, () => createPrivateKey(readFileSync(keyFile))),
});

/** Reads a JSON object of process name → public key (PEM). */
export const readTrustedKeys = (file: string): TrustedKeys =>
  named(
    'SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE',
    file,
    () =>
      new Map(
        Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>).map(([name, pem]) => [
          name,
          createPublicKey(pem),
        ]),
      ),
  );

/** What the key library says of a bad key names neither the file nor the variable. */
function named<T>(variable: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${variable}: ${file} holds no usable key: ${(error as Error).message}`, { cause: error });
  }
}

/** Signs `identity` for one method and request id, good for five minutes. */
export function signClaims(signer: Signer, method: string, requestId: string, identity: Identity): Buffer {
  const claims = Claims.encode({
    caller: signer.name,
    method,
    requestId,
    expiresAt: Math.floor(Date.now() / 1000) + lifetime,
    actor: identity.actor,
    access: identity.access,
    directorySequence: identity.directorySequence ?? 0,
  }).finish();
  return Buffer.from(
    SignedClaims.encode({ claims: Buffer.from(claims), signature: sign(undefined, claims, signer.key) }).finish(),
  );
}

/**
 * Verifies signed claims for `method`.
 * @throws AppError unauthorized when absent, malformed, unknown signer, wrong signature, other method or expired
 */
export function verifyClaims(trusted: TrustedKeys, method: string, signed: Buffer | undefined): Claims {
  if (signed === undefined) throw new AppError('unauthorized');
  const envelope = SignedClaims.decode(signed);
  const claims = Claims.decode(envelope.claims);
  const key = trusted.get(claims.caller);
  const genuine = key !== undefined && verify(undefined, envelope.claims, key, envelope.signature);
  if (!genuine || claims.method !== method || claims.expiresAt < Date.now() / 1000) throw new AppError('unauthorized');
  return claims;
}
