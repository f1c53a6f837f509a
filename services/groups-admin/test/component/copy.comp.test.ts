import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type EventBus, embeddedLog, repositoryCopied } from '@switchyard/events';
import { ForkServiceService } from '@switchyard/protos/groups_admin/v1/fork';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { RepositoryCopiedEvent } from '@switchyard/protos/merge_requests/events/v1/repository_copied';
import { eventually } from '@switchyard/testkit';
import { publish } from '@switchyard/testkit/installation';
import { conforming } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let bus: EventBus;
let db: Database;

beforeAll(async () => {
  service = await startTestService();
  bus = embeddedLog({ url: service.logDatabaseUrl, clientId: 'test' });
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
});

afterAll(async () => {
  await db.close();
  await bus.close();
  await service.close();
});

test.each([
  ['a copy', {}, { import_status: 'finished', readme_url: null }],
  [
    'a copy with a README',
    { readmePath: 'docs.md' },
    { import_status: 'finished', readme_url: expect.stringMatching(/docs\.md$/) },
  ],
  [
    'a default branch in place of a missing one',
    { defaultBranch: 'trunk', missingBranch: 'main' },
    { import_status: 'finished', default_branch: 'trunk' },
  ],
  [
    'no default branch where another one was chosen',
    { defaultBranch: 'trunk', missingBranch: 'former' },
    { import_status: 'finished', default_branch: 'main' },
  ],
  ['a failure', { error: 'It is gone.' }, { import_status: 'failed', import_error: 'It is gone.', readme_url: null }],
])('%s is recorded on the fork once', async (name, given: Partial<RepositoryCopiedEvent>, expected) => {
  const path = name.replaceAll(' ', '-');
  const settings = { path, featureAccessLevels: {} };
  const source = bodyOf(
    await service
      .client(ProjectServiceService)
      .createProject({ namespaceId: 0, userId: 0, initializeWithReadme: false, settings }, await service.as(rootToken)),
  );
  const fork = bodyOf(
    await service
      .client(ForkServiceService)
      .forkProject(
        { projectId: source.id, namespace: '', name: `${path}-2`, path: `${path}-2` },
        await service.as(rootToken),
      ),
  );
  expect(fork).toMatchObject({ import_status: 'scheduled' });
  const id = `repository.copied:${fork.id}`;
  const payload = RepositoryCopiedEvent.fromPartial({ projectId: fork.id, occurredAt: new Date(), ...given });
  await publish(bus, repositoryCopied, payload, id);
  await publish(bus, repositoryCopied, { ...payload, error: 'another' }, `${id}:again`);
  await eventually(async () => {
    expect(await db.query(sql`select 1 from events.inbox where event_id = ${`${id}:again`}`)).toHaveLength(1);
  });
  const shown = bodyOf(
    await service.client(ProjectServiceService).getProject({ projectId: fork.id }, await service.as(rootToken)),
  );
  expect(conforming('Project', shown)).toMatchObject(expected);
});
