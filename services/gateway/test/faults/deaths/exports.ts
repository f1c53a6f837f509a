import { eventually } from '@switchyard/testkit';
import { dependencyExportPoints, projectExportPoints, reportPoints } from '../../e2e/support/fault-points';
import { atEach, type Chosen, type Ground } from './ground';

/** Reports, lists of dependencies, and projects that go out. */
export function exportDeaths(chosen: Chosen, here: () => Ground): void {
  atEach([...chosen(reportPoints), ...chosen(dependencyExportPoints)])(
    'at %s: a report is there or can be sent again, and the list is exported',
    async (point) => {
      const { system, fixture, fired } = here();
      const project = `/projects/${fixture.projectId}`;
      const headers = { 'PRIVATE-TOKEN': system.rootToken };
      const { id: pipeline } = await fixture.ok('POST', `${project}/pipeline?ref=main`);
      const component = { type: 'library', name: 'a', purl: 'pkg:npm/a@1', version: '1' };
      const report = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components: [component] });
      const send = async (): Promise<void> => {
        const form = new FormData();
        form.append('file', new Blob([report]), 'gl-sbom.cdx.json');
        const url = `${system.url}/api/v4${project}/pipelines/${pipeline}/artifacts`;
        expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(201);
      };
      if (reportPoints.includes(point)) system.arm(point);
      await eventually(send, { within: 30_000, every: 100 });
      if (dependencyExportPoints.includes(point)) system.arm(point);
      // The process of the last case may still be starting; the armed one may die before it answers.
      const begun = async () => {
        const reply = await system.api('POST', `/pipelines/${pipeline}/dependency_list_exports`).catch(() => undefined);
        expect(reply?.status === 201 || system.fired()).toBe(true);
      };
      await eventually(begun, { within: 30_000, every: 200 });
      await fired();
      await eventually(
        async () => {
          // As if the lease of the dead process had run out; an export that was not answered is there all the same.
          const made = await system.query(
            'imports_exports',
            `update dependency_list_exports set leased_until = case when leased_until > now() + interval '25 seconds'
            then leased_until else now() end where pipeline_id = ${pipeline} returning id`,
          );
          // Another one is begun at once, and with it what waits; without it the process would look after 15 s.
          const another = await fixture.ok('POST', `/pipelines/${pipeline}/dependency_list_exports`);
          const id = Math.min(another.id, ...made.map((one) => Number(one.id)));
          const file = await fetch(`${system.url}/api/v4/dependency_list_exports/${id}/download`, { headers });
          expect(((await file.json()) as { components: object[] }).components).toHaveLength(1);
        },
        { within: 90_000, every: 1_000 },
      );
    },
  );

  atEach(chosen(projectExportPoints))('at %s: the project is exported, whole', async (point) => {
    const { system, fixture, fired } = here();
    const at = `/projects/${fixture.projectId}/export`;
    await system.query('imports_exports', 'delete from project_exports');
    system.arm(point);
    const begin = () => system.api('POST', at).catch(() => undefined);
    await eventually(async () => expect((await begin())?.status === 202 || system.fired()).toBe(true), {
      within: 30_000,
      every: 200,
    });
    await fired();
    await eventually(
      async () => {
        // As if the lease of the dead process had run out.
        await system.query(
          'imports_exports',
          `update project_exports set leased_until = case when leased_until > now() + interval '25 seconds'
          then leased_until else now() end where status = 'started'`,
        );
        const { export_status: status } = await fixture.ok('GET', at);
        if (status !== 'finished') await begin();
        expect(status).toBe('finished');
      },
      { within: 90_000, every: 1_000 },
    );
    const headers = { 'PRIVATE-TOKEN': system.rootToken };
    const file = await fetch(`${system.url}/api/v4${at}/download`, { headers });
    expect(file.headers.get('content-length')).toBe(String((await file.arrayBuffer()).byteLength));
  });
}
