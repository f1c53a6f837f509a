import { sql } from '@switchyard/database/sql';
import { environmentEvents } from '@switchyard/events';
import { AlertServiceService, ListAlertsRequest } from '@switchyard/protos/alerts/v1/alert';
import { EnvironmentEvent } from '@switchyard/protos/merge_requests/events/v1/environment_event';
import { eventually } from '@switchyard/testkit';
import { alertPurge } from '../../src/alerts/storage/alert-purge.store';
import { type Installation, json, startInstallation } from '../support/installation';
import { type WatchedProject, watchedProject } from '../support/watched-project';

/** An alert's environment is one of its project's environments; what a payload names is looked up as GitLab does. */

let here: Installation;
let made = 0;

beforeAll(async () => {
  here = await startInstallation();
  // On a busy machine the replica of the directory takes longer for its first look than a request waits.
  await eventually(() => watchedProject(here));
});
afterAll(() => here?.close());

const kept = (id: number) => here.db.query(sql`select 1 from environments where id = ${id}`);

/** Publishes that an environment was made; waits until the service knows it. */
async function make(project: Pick<WatchedProject, 'id'>, name: string, occurredAt = new Date()): Promise<number> {
  made += 1;
  const environmentId = made;
  const event = { projectId: project.id, environmentId, name, occurredAt, fact: { $case: 'created', value: {} } };
  const payload = EnvironmentEvent.fromPartial(event as Partial<EnvironmentEvent>);
  await here.publish(environmentEvents, payload, `environment_created:${environmentId}`);
  await eventually(async () => expect(await kept(environmentId)).toHaveLength(1));
  return environmentId;
}

async function remove(project: Pick<WatchedProject, 'id'>, environmentId: number, name: string): Promise<void> {
  const fact = { $case: 'deleted', value: {} } as const;
  const event = { projectId: project.id, environmentId, name, occurredAt: new Date(), fact };
  await here.publish(environmentEvents, event, `environment_deleted:${environmentId}`);
  await eventually(async () => expect(await kept(environmentId)).toHaveLength(0));
}

interface Shown {
  readonly title: string;
  readonly environment: string | null;
  readonly environment_id: number | null;
}

const access = (project: WatchedProject) => here.as({ id: 7 }, { id: project.id, level: 30 });
const list = async (project: WatchedProject, given: Partial<ListAlertsRequest> = {}): Promise<Shown[]> =>
  json(
    await here
      .client(AlertServiceService)
      .listAlerts(ListAlertsRequest.fromPartial({ projectId: project.id, ...given }), access(project)),
  );
const environmentsOf = async (project: WatchedProject): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await list(project)).map(({ title, environment, environment_id: id }) => [title, id && [environment, id]]),
  );

test('is found by its name in both spellings and formats; an unknown name, and one of another project, gives none', async () => {
  const project = await watchedProject(here);
  const other = await watchedProject(here);
  const production = await make(project, 'production');
  await make(other, 'elsewhere');
  await project.send({ title: 'neutral', platform_environment_name: 'production' });
  await project.send({ title: 'real', gitlab_environment_name: 'production' });
  await project.send({
    ...{ version: '4', groupKey: 'g', status: 'firing', receiver: 'r', groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: 'http://a' },
    alerts: [
      {
        ...{ status: 'firing', annotations: { title: 'metrics' }, startsAt: '2026-01-31T08:00:00Z' },
        labels: { alertname: 'metrics', gitlab_environment_name: 'production' },
      },
    ],
  });
  await project.send({ title: 'case', platform_environment_name: 'Production' });
  await project.send({ title: 'unknown', platform_environment_name: 'elsewhere' });
  await project.send({ title: 'long', platform_environment_name: 'x'.repeat(20_000) });
  await project.send({ title: 'none' });
  const found = ['production', production];
  expect(await environmentsOf(project)).toEqual({
    ...{ neutral: found, real: found, metrics: found },
    ...{ case: null, unknown: null, long: null, none: null },
  });
  const named = async (environment: string) => (await list(project, { environment })).map(({ title }) => title).sort();
  expect(await named('production')).toEqual(['metrics', 'neutral', 'real']);
  expect([await named('elsewhere'), await named('x'.repeat(20_000))]).toEqual([[], []]);
});

test('is the one that the project had when the alert was raised', async () => {
  const project = await watchedProject(here);
  await project.send({ title: 'before', platform_environment_name: 'production' });
  await here.db.query(sql`
    update alerts set created_at = created_at - interval '1 hour' where project_id = ${project.id}`);
  // Its event comes after the first alert that names it, as that of an environment made a moment ago may.
  const madeAt = new Date();
  await project.send({ title: 'at once', platform_environment_name: 'production' });
  const first = await make(project, 'production', madeAt);
  expect(await environmentsOf(project)).toEqual({ before: null, 'at once': ['production', first] });
  await remove(project, first, 'production');
  expect(await environmentsOf(project)).toEqual({ before: null, 'at once': null });
  expect(await list(project, { environment: 'production' })).toEqual([]);
  await make(project, 'production', new Date(Date.now() + 60_000));
  expect(await environmentsOf(project)).toEqual({ before: null, 'at once': null });
});

test('goes with its project', async () => {
  const project = await watchedProject(here);
  const id = await make(project, 'production');
  await here.db.query(sql`update directory.projects set deleted_at = now() where id = ${project.id}`);
  while ((await alertPurge(here.db).removeOrphans(10)) > 0);
  expect(await kept(id)).toEqual([]);
});
