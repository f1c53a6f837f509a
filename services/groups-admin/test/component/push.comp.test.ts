import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  type EventBus,
  type EventDefinition,
  embeddedLog,
  issueEvents,
  mergeRequestEvents,
  repositoryPushed,
} from '@switchyard/events';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { MergeRequestEvent } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import { eventually } from '@switchyard/testkit';
import { publish } from '@switchyard/testkit/installation';
import { conforming } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let bus: EventBus;
let db: Database;
let count = 0;

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

/** Publishes a push as its owner's relay would, `times` times, and waits until it was received. */
async function push(projectId: number, given: Partial<RepositoryPushedEvent> = {}, times = 1): Promise<void> {
  count += 1;
  const payload = RepositoryPushedEvent.fromPartial({
    projectId,
    ref: 'refs/heads/main',
    refName: 'main',
    refType: 'branch',
    action: 'pushed',
    source: 'push',
    occurredAt: new Date(),
    defaultBranch: true,
    ...given,
  });
  const id = `repository.pushed:${count}`;
  for (let time = 0; time < times; time += 1) {
    await publish(bus, repositoryPushed, payload, id);
  }
  await eventually(async () => {
    const groups = await db.query(
      sql`select consumer_group as name from events.inbox where event_id = ${id} order by 1`,
    );
    expect(groups).toEqual([{ name: 'groups-admin' }, { name: 'groups-admin.changes' }]);
  });
}

async function makeProject(path: string, activity: Date): Promise<number> {
  const made = bodyOf(
    await service.client(ProjectServiceService).createProject(
      {
        namespaceId: 0,
        userId: 0,
        initializeWithReadme: false,
        settings: { path, featureAccessLevels: {} },
      },
      await service.as(rootToken),
    ),
  );
  await db.query(sql`update projects set last_activity_at = ${activity} where id = ${made.id}`);
  return made.id;
}

async function read(projectId: number) {
  const { last_activity_at, readme_url, updated_at } = conforming(
    'Project',
    bodyOf(
      await service
        .client(ProjectServiceService)
        .getProject(
          { projectId } as never,
          await service.as(rootToken, { $case: 'project', value: String(projectId) }),
        ),
    ),
  ) as { last_activity_at: string; readme_url: string | null; updated_at: string };
  return { activity: Date.parse(last_activity_at), readme: readme_url, updated: updated_at };
}

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

test('the activity of a project advances with its pushes, once a minute, and never goes back', async () => {
  const id = await makeProject('active', ago(3_600));
  const sequence = () => db.one(sql`select max(sequence) as last from directory_changes`);
  const { updated } = await read(id);
  const before = await sequence();
  const first = ago(1_800);
  await push(id, { occurredAt: first, defaultBranch: false, refName: 'topic', ref: 'refs/heads/topic' });
  expect((await read(id)).activity).toBe(first.getTime());
  await push(id, { occurredAt: new Date(first.getTime() + 59_000) });
  expect((await read(id)).activity).toBe(first.getTime());
  const later = new Date(first.getTime() + 60_000);
  await push(id, { occurredAt: later });
  await push(id, { occurredAt: ago(3_000) });
  expect((await read(id)).activity).toBe(later.getTime());
  await push(id, { occurredAt: new Date(Date.now() + 86_400_000) });
  expect((await read(id)).activity).toBeLessThanOrEqual(Date.now());
  expect((await read(id)).updated).toBe(updated);
  expect(await sequence()).toEqual(before);
});

test('the README is the one of the default branch', async () => {
  const id = await makeProject('documented', ago(0));
  const other = await makeProject('silent', ago(0));
  expect((await read(id)).readme).toBeNull();
  await push(id, { readmePath: 'docs #1.md' });
  expect((await read(id)).readme).toBe('http://switchyard.test/root/documented/-/blob/main/docs%20%231.md');
  await push(id, { readmePath: '', defaultBranch: false, refName: 'topic', ref: 'refs/heads/topic' });
  expect((await read(id)).readme).toContain('docs');
  await push(id, { readmePath: '' });
  expect((await read(id)).readme).toBeNull();
  expect((await read(other)).readme).toBeNull();
});

test('a push that is delivered again has no second effect', async () => {
  const id = await makeProject('twice', ago(3_600));
  await push(id, { readmePath: 'README.md' }, 2);
  await db.query(sql`update projects set readme_path = 'kept', last_activity_at = ${ago(3_600)} where id = ${id}`);
  const payload = RepositoryPushedEvent.fromPartial({ projectId: id, defaultBranch: true, occurredAt: new Date() });
  await publish(bus, repositoryPushed, payload, `repository.pushed:${count}`);
  // Of one key and in order: what follows is received after it.
  await push(id, { defaultBranch: false, occurredAt: ago(7_200) });
  expect((await read(id)).readme).toContain('kept');
  expect((await read(id)).activity).toBeLessThan(Date.now() - 3_000_000);
});

test('a push to a deleted project is received', async () => {
  await push(999_999);
});

test('issues and merge requests count on their project and labels as their owners report them', async () => {
  const id = await makeProject('counted', ago(0));
  const [label] = await db.query<{ id: number }>(sql`
    insert into labels (project_id, title, color) values (${id}, 'bug', '#112233') returning id`);
  const labelIds = [label?.id ?? 0];
  const subject = { id: 7, projectId: id, state: 'opened', labelIds };
  const publishAndWait = async <T>(event: EventDefinition<T>, payload: T, cause: string) => {
    await publish(bus, event, payload, cause);
    await eventually(async () => {
      const groups = await db.query(
        sql`select consumer_group as name from events.inbox where event_id = ${cause} order by 1`,
      );
      expect(groups).toEqual([{ name: 'groups-admin.changes' }, { name: 'groups-admin.counts' }]);
    });
  };
  const counts = () =>
    db.query(sql`
      select label_id = 0 as all, open_issues, closed_issues, open_merge_requests from issuable_counts
      where project_id = ${id} order by label_id`);
  const issue = (given: object, fact: string) =>
    publishAndWait(
      issueEvents,
      IssueEvent.fromPartial({ issue: { ...subject, ...given }, fact: { $case: fact, value: {} } as never }),
      `issue:${fact}`,
    );
  const mergeRequest = (given: object, fact: string) =>
    publishAndWait(
      mergeRequestEvents,
      MergeRequestEvent.fromPartial({
        mergeRequest: { ...subject, ...given },
        fact: { $case: fact, value: {} } as never,
      }),
      `merge_request:${fact}`,
    );
  await issue({}, 'created');
  await mergeRequest({ state: 'locked' }, 'created');
  const both = { open_issues: 1, closed_issues: 0, open_merge_requests: 1 };
  expect(await counts()).toEqual([
    { all: true, ...both },
    { all: false, ...both },
  ]);
  await issue({ version: 1, state: 'closed' }, 'closed');
  await mergeRequest({ version: 1, state: 'merged' }, 'merged');
  expect(await counts()).toEqual([
    { all: true, open_issues: 0, closed_issues: 1, open_merge_requests: 0 },
    { all: false, open_issues: 0, closed_issues: 1, open_merge_requests: 0 },
  ]);
  await issue({ version: 1, state: 'closed' }, 'deleted');
  expect((await counts())[0]).toMatchObject({ open_issues: 0, closed_issues: 0 });
});
