import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logger } from '@switchyard/telemetry';
import { assertOwnKey, ClaimsRefused, readSigner, readTrustedKeys, signClaims, verifyClaims } from './identity';
import { UsedClaims } from './used-claims';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-keys-'));
  writeFileSync(join(folder, 'bad.key'), 'nonsense');
  writeFileSync(join(folder, 'bad.json'), '{"gateway":"nonsense"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(['none.key', 'bad.key'])('%s: the variable and the file are named', (file) => {
  expect(() => readSigner('gateway', join(folder, file))).toThrow(
    `SWITCHYARD_IDENTITY_KEY_FILE: ${join(folder, file)} holds no usable key: `,
  );
});

test.each(['none.json', 'bad.json'])('%s: the variable and the file are named', (file) => {
  expect(() => readTrustedKeys(join(folder, file))).toThrow(
    `SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: ${join(folder, file)} holds no usable key: `,
  );
});

test('the key of another process is refused where the public keys say so', () => {
  const [own, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const trusted = new Map([['alerts', [other.publicKey, own.publicKey]]]);
  const signer = (name: string, key = own.privateKey) => ({ name, key });
  expect(() => assertOwnKey(signer('alerts'), trusted)).not.toThrow();
  expect(() => assertOwnKey(signer('packages'), trusted)).not.toThrow();
  expect(() => assertOwnKey(signer('alerts', generateKeyPairSync('ed25519').privateKey), trusted)).toThrow(
    /^SWITCHYARD_IDENTITY_KEY_FILE: is not a key of alerts/,
  );
});

describe('keys change while the process runs', () => {
  const pairs = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')] as const;
  const file = (name: string) => join(folder, name);
  const put = (name: string, content: string): void => {
    writeFileSync(file(`${name}.new`), content);
    renameSync(file(`${name}.new`), file(name));
  };
  const sign = (at: 0 | 1) =>
    put('gateway.key', pairs[at].privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const believe = (...which: (0 | 1)[]) => {
    const pems = which.map((at) => pairs[at].publicKey.export({ type: 'spki', format: 'pem' }));
    put('public-keys.json', JSON.stringify({ gateway: pems.join('') }));
  };
  let now = 0;
  const later = (): void => {
    now += 1_000;
  };

  beforeEach(() => jest.spyOn(performance, 'now').mockImplementation(() => now));
  afterEach(() => jest.restoreAllMocks());

  test('each step is taken up within a second, and old keys are believed until the last', () => {
    sign(0);
    believe(0);
    const [signer, trusted, used] = [
      readSigner('gateway', file('gateway.key')),
      readTrustedKeys(file('public-keys.json')),
      new UsedClaims(),
    ];
    const signed = () => signClaims(signer, '/a/B', 'id', {});
    const verify = (claims: Buffer) =>
      verifyClaims(trusted, used, { method: '/a/B', content: undefined, signed: claims });
    const [first, second, third] = [signed(), signed(), signed()];
    verify(first);
    believe(1, 0);
    later();
    verify(second);
    sign(1);
    verify(signed());
    later();
    const renewed = signed();
    verify(renewed);
    believe(1);
    later();
    verify(signed());
    expect(() => verify(third)).toThrow(ClaimsRefused);
    // What cannot be read leaves what was read before.
    const logged = jest.spyOn(logger, 'error').mockReturnValue(undefined);
    put('public-keys.json', '{');
    later();
    verify(signed());
    expect(logged).toHaveBeenCalledTimes(1);
  });
});
