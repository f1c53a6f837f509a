import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import { POSTGRES } from '../../../../deploy/local/services.mjs';
import { publicationPoints } from '../e2e/support/fault-points';
import { type Fixture, makeFixture, makeReviewer } from '../e2e/support/fixture';
import {
  expectSoundContents,
  formatAt,
  formats,
  type Publication,
  publicationOf,
  publisher,
} from '../e2e/support/publications';
import { random, seedOfRun } from '../e2e/support/random';
import { type System, startSystem } from '../e2e/support/system';
import { kill } from './kill';

jest.setTimeout(1_800_000);

const rounds = Number(process.env.FAULT_ROUNDS ?? 10);
const seed = seedOfRun();
const uploads = 50;

/** Has a folder hold no more than 4 MiB until it is unmounted, which takes root and a system that lets it mount. */
const mountSmall = (path: string): Buffer =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', path], { stdio: 'pipe' });

const mayMount = (() => {
  const probe = mkdtempSync(join(tmpdir(), 'switchyard-mount-'));
  try {
    mountSmall(probe);
    execFileSync('umount', [probe]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
})();

/**
 * What was acknowledged is there with its content, what was not is there wholly or not at all, and no blob is left after
 * the next sweep.
 */
describe(`packages under faults, FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`, () => {
  let system: System;
  let fixture: Fixture;
  let folder: string;
  let files: ReturnType<typeof publisher>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-packages-'));
    system = await startSystem({ SWITCHYARD_MAX_DEATHS: '1000', SWITCHYARD_RESTART_PAUSE_MS: '200' });
    fixture = await makeFixture(system, await makeReviewer(system), 'packages', folder);
    files = publisher(system, fixture.projectId);
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const each = publicationPoints.flatMap((point) => formats.map((format) => [point, format] as const));

  it.each(each)('the service dies at %s of a publication in the format %s', async (point, format) => {
    const name = point.replace(/\W/g, '-');
    const [first, next] = ['1.0.0', '2.0.0'].map((version) =>
      publicationOf(format, name, version, `${point} ${format} ${version}`),
    ) as [Publication, Publication];
    system.arm(point);
    await files.publish(first);
    await eventually(() => expect(system.fired()).toBe(true), { within: 30_000 });
    await files.publish(next);
    for (const one of [first, next]) expect(await files.download(one)).toEqual(one.content);
    await expectSoundContents(system, fixture.projectId);
  });

  /** Files of every format at once while a process dies; which were acknowledged is compared with what is there. */
  async function publishWhile(name: string, text: (at: number) => string, fault: () => Promise<void>): Promise<void> {
    const given = Array.from({ length: uploads }, (_, at) =>
      publicationOf(formatAt(at), `${name}-${at}`, '1.0.0', text(at)),
    );
    const striking = fault();
    const acknowledged = await Promise.all(
      given.map((one) =>
        files.attempt(one).then(
          ({ status }) => status < 300,
          () => false,
        ),
      ),
    );
    await striking;
    for (const [at, one] of given.entries()) {
      const found = await files.download(one);
      if (found === undefined) expect([one.download, acknowledged[at]]).toEqual([one.download, false]);
      else expect(found.equals(one.content)).toBe(true);
    }
    await expectSoundContents(system, fixture.projectId);
  }

  it.each(['gateway', 'packages', POSTGRES])(`%s dies during ${uploads} uploads`, async (name) => {
    const chance = random(seed + name.length);
    let last: number | undefined;
    for (let round = 0; round < rounds; round += 1) {
      await publishWhile(
        `${name}-${round}`,
        (at) => `${name} ${round} ${at} `.repeat(20_000),
        async () => {
          await pause(chance.between(0, 1_500));
          last = await kill(system, name, last);
        },
      );
    }
  });

  (mayMount ? it : it.skip)(
    'keeps nothing of what a full disk does not hold (skipped where no small folder can be mounted)',
    async () => {
      const blobs = join(system.data, 'blobs', 'packages');
      const kept = join(folder, 'kept');
      const of = (name: string, text: string) => publicationOf('generic', name, '1.0.0', text);
      const [before, large, after] = [of('before', 'x'), of('large', 'x'.repeat(8 << 20)), of('after', 'y')];
      mountSmall(blobs);
      try {
        await files.publish(before);
        const refused = await files.attempt(large);
        expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
        await eventually(() => files.publish(after));
        const found = [before, large, after].map((one) => files.download(one));
        expect(await Promise.all(found)).toEqual([before.content, undefined, after.content]);
        cpSync(blobs, kept, { recursive: true });
      } finally {
        execFileSync('umount', [blobs]);
      }
      cpSync(kept, blobs, { recursive: true });
      await files.publish(large);
      expect(await files.download(large)).toEqual(large.content);
      await expectSoundContents(system, fixture.projectId);
    },
  );
});
