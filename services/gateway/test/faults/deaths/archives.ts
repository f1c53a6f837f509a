import { eventually } from '@switchyard/testkit';
import { archiveCancelPoints, archiveImportPoints } from '../../e2e/support/fault-points';
import { atEach, type Chosen, type Ground } from './ground';

/** Projects that come in as archives. */
export function archiveDeaths(chosen: Chosen, here: () => Ground): void {
  describe('an archive', () => {
    let archive: Blob;

    beforeAll(async () => {
      const { system, fixture } = here();
      const at = `/projects/${fixture.projectId}/export`;
      await fixture.ok('POST', `/projects/${fixture.projectId}/labels`, { name: 'archived', color: '#ff0000' });
      const form = new FormData();
      form.set('file', new Blob(['archived']), 'archived.txt');
      const uploads = `${system.url}/api/v4/projects/${fixture.projectId}/uploads`;
      const withToken = { 'PRIVATE-TOKEN': system.rootToken };
      const sent = async () => (await fetch(uploads, { method: 'POST', headers: withToken, body: form })).status;
      await eventually(async () => expect(await sent()).toBe(201), { within: 60_000, every: 500 });
      // A process that was killed before may still be starting; each request makes another export.
      await eventually(() => fixture.ok('POST', at), { within: 60_000, every: 500 });
      await eventually(async () => expect((await fixture.ok('GET', at)).export_status).toBe('finished'), {
        within: 60_000,
        every: 500,
      });
      archive = await (await fetch(`${system.url}/api/v4${at}/download`, { headers: withToken })).blob();
    });

    async function send(path: string): Promise<number> {
      const { system } = here();
      const form = new FormData();
      form.append('path', path);
      form.append('file', archive, 'archive.tar.gz');
      const headers = { 'PRIVATE-TOKEN': system.rootToken };
      const reply = await fetch(`${system.url}/api/v4/projects/import`, { method: 'POST', headers, body: form });
      return reply.status;
    }

    /** Status of the import, as if the leases of dead processes had run out. */
    async function statusOf(path: string): Promise<string> {
      const { system, fixture } = here();
      await system.query(
        'imports_exports',
        `update archive_imports set leased_until = now() where leased_until < now() + interval '25 seconds' returning id`,
      );
      return (await fixture.ok('GET', `/projects/${encodeURIComponent(path)}/import`)).import_status;
    }

    atEach(chosen(archiveImportPoints))('at %s: it comes in once, whole, and its file goes', async (point) => {
      const { system, fixture, requests, fired } = here();
      const name = point.replace(/[._]/g, '-');
      const project = `/projects/${encodeURIComponent(`root/${name}`)}`;
      system.arm(point);
      await send(name).catch(() => undefined);
      await fired();
      await eventually(
        async () => {
          // What was not acknowledged may not be there.
          if ((await system.api('GET', project)).status === 404) await send(name).catch(() => undefined);
          expect(await statusOf(`root/${name}`)).toBe('finished');
        },
        { within: 90_000, every: 500 },
      );
      const titles = (await fixture.all(`${project}/labels`)).map((one) => one.name);
      expect(titles.filter((title) => title === 'archived')).toEqual(['archived']);
      const files = (await fixture.all(`${project}/uploads`)).map((one) => one.filename);
      expect(files.filter((file) => file === 'archived.txt')).toEqual(['archived.txt']);
      const heads = async (at: string) =>
        (await fixture.all(`${at}/repository/branches`)).map((one) => `${one.name} ${one.commit.id}`);
      // Branches of forks come in under names that tell forks apart.
      const ofForks = (await fixture.all(`${requests}?state=opened`))
        .filter((one) => one.source_project_id !== fixture.projectId)
        .map((one) => `imported-${one.iid}-${one.source_branch} ${one.sha}`);
      expect(await heads(project)).toEqual([...ofForks, ...(await heads(`/projects/${fixture.projectId}`))].sort());
      expect(await system.query('imports_exports', 'select 1 from archive_imports where blob is not null')).toEqual([]);
    });

    atEach(chosen(archiveCancelPoints))('at %s: it stays cancelled, and the project says so', async (point) => {
      const { system, fired } = here();
      const name = chosen(archiveImportPoints)[0]!.replace(/[._]/g, '-');
      // As if a process worked on it still.
      const [row] = await system.query(
        'imports_exports',
        `update archive_imports set status = 'started', stage = 1, blob = 'imports/none', ended_at = null,
        leased_until = now() + interval '1 hour' where path = '${name}' returning project_id as id`,
      );
      await system.query(
        'groups_admin',
        `update projects set import_status = 'started' where id = ${row?.id} returning id`,
      );
      system.arm(point);
      const body = { project_id: Number(row?.id) };
      await system.api('POST', '/import/github/cancel', { body }).catch(() => undefined);
      await fired();
      const open = `update archive_imports set leased_until = now() where status = 'started' returning id`;
      await eventually(async () => expect(await system.query('imports_exports', open)).toEqual([]), {
        within: 60_000,
        every: 1_000,
      });
      expect(await statusOf(`root/${name}`)).toBe('canceled');
    });
  });
}
