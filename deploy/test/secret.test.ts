import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '../catalogue.mjs';
import { keysOf, SECRET_STEPS, secretsOf } from '../local/data-folder.mjs';
import { readEnvironment } from '../local/environment.mjs';
import { createProgress } from '../local/progress.mjs';
import { rotate } from '../local/rotate.mjs';

describe('the secret changes', () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'switchyard-secret-'));
    mkdirSync(join(data, 'keys'));
  });
  afterEach(() => rmSync(data, { recursive: true }));

  const read = (name: string): string[] => readFileSync(join(data, name), 'utf8').trim().split('\n');
  const keys = (secrets: string[]) => {
    keysOf(data, secrets, SERVICES);
    return { encryption: read('keys/merge-requests-secrets.key'), digest: read('keys/token-digest.key') };
  };

  it('in steps of which each may be taken again, and a start between them knows it', () => {
    const [first] = secretsOf(data);
    const before = keys([first as string]);
    const begun = SECRET_STEPS.begin(data);
    expect([begun.length, begun[1]]).toEqual([2, first]);
    expect(SECRET_STEPS.begin(data)).toEqual(begun);
    expect(secretsOf(data)).toEqual(begun);
    const meanwhile = keys(begun);
    expect(meanwhile.encryption).toEqual([
      expect.not.stringMatching(before.encryption[0] as string),
      before.encryption[0],
    ]);

    // A crash in the middle of the last step.
    const check = readFileSync(join(data, 'secret-check'), 'utf8');
    const ended = SECRET_STEPS.finish(data);
    writeFileSync(join(data, 'secret'), begun.join('\n'));
    expect(secretsOf(data)).toEqual(begun);
    expect(SECRET_STEPS.finish(data)).toEqual(ended);
    expect(ended).toEqual([begun[0]]);
    expect(secretsOf(data)).toEqual(ended);
    expect(readFileSync(join(data, 'secret-check'), 'utf8')).not.toBe(check);

    expect(keys(ended)).toEqual({ encryption: [meanwhile.encryption[0]], digest: before.digest });
    writeFileSync(join(data, 'secret'), `${first}\n`);
    expect(() => secretsOf(data)).toThrow(/is not the secret/);
  });

  it('only where the installation keeps it, and so does the password of the superuser', async () => {
    const unused = { encryptAgain: async () => 1, connect: () => Promise.reject(new Error()), roles: [] };
    const rotateWith = (what: string, env: NodeJS.ProcessEnv) => {
      const settings = readEnvironment({ SWITCHYARD_DATA: data, ...env }, { root: data, cwd: data });
      return rotate({ settings, what, progress: createProgress({ write: () => {} }), ...unused });
    };
    await expect(rotateWith('secret', { SWITCHYARD_SECRET: 's'.repeat(32) })).rejects.toThrow(
      /^SWITCHYARD_SECRET is set: put its value into \S+secret, start without it, then rotate$/,
    );
    // What was given to the processes that run counts, not what is given to the command.
    const given = secretsOf(data)[0] as string;
    expect(secretsOf(data, given)).toEqual([given]);
    await expect(rotateWith('secret', {})).rejects.toThrow(/^SWITCHYARD_SECRET is set/);
    await expect(
      rotateWith('superuser-password', { DATABASE_URL: 'postgresql://admin@127.0.0.1/postgres' }),
    ).rejects.toThrow(/^DATABASE_URL: the server is not of this installation$/);
    expect(readdirSync(join(data, 'keys'))).toEqual([]);
  });

  it('and keys of digests are not made of one of two secrets', () => {
    const [first] = secretsOf(data);
    keys([first as string]);
    rmSync(join(data, 'keys/token-digest.key'));
    expect(() => keys(SECRET_STEPS.begin(data))).toThrow(/token-digest\.key is missing/);
  });
});
