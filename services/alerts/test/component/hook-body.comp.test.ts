import { sql } from '@switchyard/database/sql';
import { hookFactsStore } from '../../src/hook-bodies/storage/hook-facts.store';
import { renderHookBodies } from '../../src/hook-bodies/transport/render-hook-bodies';
import { type Installation, startInstallation } from '../support/installation';
import { watchedProject } from '../support/watched-project';

let here: Installation;

beforeAll(async () => {
  here = await startInstallation();
});

afterAll(() => here.close());

test('an alert that is raised and ends becomes hook bodies for Developers (G-6-4)', async () => {
  const project = await watchedProject(here);
  await project.send({ title: 'Disk full', severity: 'high', service: 'db', fingerprint: 'disk' });
  await project.send({ title: 'Disk full', fingerprint: 'disk', end_time: '2026-02-03T04:05:06Z' });
  const events = await here.db.query<{ id: string; type: string; body: string }>(
    sql`select event_id as id, type, body::text as body from events.outbox o where type = 'alert.changed' order by o.id`,
  );
  const render = renderHookBodies({
    factsOf: hookFactsStore(here.db),
    externalUrl: 'https://forge.example',
    ensureDirectory: async () => undefined,
  });
  const bodies = (await render(events)).flatMap((one) => one.bodies);
  expect(bodies).toMatchObject([
    {
      kind: 'alert',
      action: 'trigger',
      projectId: project.id,
      feature: 'monitor',
      leastLevel: 30,
      confidential: false,
    },
    { kind: 'alert', action: 'resolve' },
  ]);
  const [raised, ended] = bodies.map(({ json }) => JSON.parse(json.toString()));
  expect(raised).toMatchObject({
    object_kind: 'alert',
    user: null,
    project: { id: project.id },
    object_attributes: { iid: 1, title: 'Disk full', severity: 'high', service: 'db', action: 'trigger' },
    changes: {},
    assignees: [],
  });
  expect(ended).toMatchObject({
    object_attributes: { status: 'resolved' },
    changes: { status: { previous: 'triggered', current: 'resolved' } },
  });
});
