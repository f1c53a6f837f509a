import { eventually } from '@switchyard/testkit';
import { packageDeletionPoints, publicationPoints, uploadPoints } from '../../e2e/support/fault-points';
import { expectSoundContents, formatAt, publicationOf, publisher } from '../../e2e/support/publications';
import { atEach, type Chosen, type Ground } from './ground';

/** Packages of every format, and files that texts link to. */
export function packageDeaths(chosen: Chosen, here: () => Ground): void {
  it.each(
    [...chosen(publicationPoints), ...chosen(packageDeletionPoints)].map((point, at) => [point, formatAt(at)] as const),
  )('at %s: a package of the format %s is there with its file, or neither', async (point, format) => {
    const { system, fixture, fired } = here();
    const packages = `/projects/${fixture.projectId}/packages`;
    const name = point.replace('.', '-');
    const files = publisher(system, fixture.projectId);
    const older = publicationOf(format, name, '1.0.0', `older, at ${point}`);
    const newer = publicationOf(format, name, '2.0.0', `newer, at ${point}`);
    const isDeletion = packageDeletionPoints.includes(point);
    if (!isDeletion) system.arm(point);
    await files.publish(older);
    await files.publish(newer);
    if (isDeletion) {
      system.arm(point);
      // The older version goes: by the policy of the project, which keeps one.
      await fixture.ok('PATCH', `${packages}/cleanup/policy`, { keep_n_versions: 1 });
    }
    await fired();
    const versions = async () =>
      (await fixture.all(`${packages}?package_name=${name}`)).map(({ version }: { version: string }) => version);
    await eventually(async () => expect(await versions()).toEqual(isDeletion ? ['2.0.0'] : ['1.0.0', '2.0.0']), {
      within: 90_000,
      every: 500,
    });
    expect(await files.download(newer)).toEqual(newer.content);
    expect(await files.download(older)).toEqual(isDeletion ? undefined : older.content);
    await expectSoundContents(system, fixture.projectId);
    await fixture.ok('PATCH', `${packages}/cleanup/policy`, { keep_n_versions: null });
  });

  atEach(chosen(uploadPoints))(
    'at %s: a file that a text links to is there with its link, or neither',
    async (point) => {
      const { system, fixture, fired } = here();
      const uploads = `/projects/${fixture.projectId}/uploads`;
      const send = async (): Promise<{ id: number; url: string }> => {
        const form = new FormData();
        form.set('file', new Blob([`at ${point}`]), 'notes.txt');
        const headers = { 'PRIVATE-TOKEN': system.rootToken };
        const reply = await fetch(`${system.url}/api/v4${uploads}`, { method: 'POST', headers, body: form });
        expect(reply.status).toBe(201);
        return (await reply.json()) as { id: number; url: string };
      };
      const sent = () => eventually(send, { within: 30_000, every: 100 });
      system.arm(point);
      const [kept, gone] = [await sent(), await sent()];
      await fixture.ok('DELETE', `${uploads}/${gone.id}`).catch(() => undefined);
      await fired();
      await eventually(
        async () => {
          const ids = (await fixture.all(uploads)).map(({ id }: { id: number }) => id);
          expect([ids.includes(kept.id), ids.includes(gone.id)]).toEqual([true, false]);
        },
        { within: 30_000, every: 200 },
      );
      const reply = await fetch(`${system.url}/-/project/${fixture.projectId}${kept.url}`, {
        headers: { 'PRIVATE-TOKEN': system.rootToken },
      });
      expect(await reply.text()).toBe(`at ${point}`);
      await expectSoundContents(system, fixture.projectId);
    },
  );
}
