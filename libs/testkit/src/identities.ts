import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Key pairs of processes that call one another. */
export interface TestIdentities {
  /** With what a process signs its calls; throws where it has no keys. */
  signer(name: string): { readonly name: string; readonly key: KeyObject };
  /** Public keys by name of the process. */
  readonly trusted: ReadonlyMap<string, KeyObject>;
  /** Writes the private key of each process into `<name>.pem` and all public keys into `keys.json`. */
  writeTo(folder: string): void;
}

/** Makes the keys of processes. */
export function testIdentities(names: readonly string[]): TestIdentities {
  const pairs = new Map(names.map((name) => [name, generateKeyPairSync('ed25519')]));
  return {
    signer(name) {
      const pair = pairs.get(name);
      if (pair === undefined) throw new Error(`no such process: ${name}`);
      return { name, key: pair.privateKey };
    },
    trusted: new Map([...pairs].map(([name, { publicKey }]) => [name, publicKey])),
    writeTo(folder) {
      const publicKeys: Record<string, string | Buffer> = {};
      for (const [name, { publicKey, privateKey }] of pairs) {
        writeFileSync(join(folder, `${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
        publicKeys[name] = publicKey.export({ type: 'spki', format: 'pem' });
      }
      writeFileSync(join(folder, 'keys.json'), JSON.stringify(publicKeys));
    },
  };
}
