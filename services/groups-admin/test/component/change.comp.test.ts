import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { unavailable } from '@switchyard/errors';
import {
  deploymentEvents,
  type EventBus,
  embeddedLog,
  encodeBody,
  epicEvents,
  issueEvents,
  mergeRequestEvents,
  pipelineEvents,
  releaseEvents,
  repositoryPushed,
} from '@switchyard/events';
import { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { ChangeServiceService, ListChangesRequest } from '@switchyard/protos/groups_admin/v1/change';
import { CreateGroupRequest, GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { AddMembersRequest, MemberServiceService } from '@switchyard/protos/groups_admin/v1/member';
import { CreateMilestoneRequest, MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import { CreateProjectRequest, ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { CreateUserRequest, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { DeploymentEvent } from '@switchyard/protos/merge_requests/events/v1/deployment_event';
import { MergeRequestEvent } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { PipelineEvent } from '@switchyard/protos/merge_requests/events/v1/pipeline_event';
import { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import { ReleaseEvent } from '@switchyard/protos/merge_requests/events/v1/release_event';
import { HookBody, type RenderHookBodiesRequest } from '@switchyard/protos/rpc/v1/hook_body';
import type { Peer } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { publish } from '@switchyard/testkit/installation';
import { renderChanges } from '../../src/changes/application/render-changes';
import { changeStore } from '../../src/changes/storage/change.store';
import { pendingChangeStore } from '../../src/changes/storage/pending-change.store';
import { conforming } from '../support/components';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Json = any;

/** Its link is one to a confidential epic. */
const bodyOfEpic = (eventId: string, { epic, linked }: Json): HookBody => {
  const { id, groupId, confidential = false } = epic;
  const isClosed = confidential || linked !== undefined;
  return HookBody.fromPartial({
    kind: 'epic',
    action: 'open',
    groupId,
    confidential: isClosed,
    objectIsOpen: linked !== undefined,
    leastLevel: isClosed ? 15 : 0,
    objectKey: `epic:${id}`,
    eventId,
    json: Buffer.from(JSON.stringify({ object_kind: 'work_item', title: `of ${groupId}` })),
  });
};

/** What collaboration does with an event of an issue or epic in these tests. */
const owner = {
  away: false,
  refused: new Set<string>(),
  async renderHookBodies({ events }: RenderHookBodiesRequest) {
    if (owner.away) throw unavailable('away');
    if (events.some(({ id }) => owner.refused.has(id))) throw new Error('no body for this one');
    return {
      rendered: events.map(({ id, body }) => {
        const { issue, ...event } = JSON.parse(body) as Json;
        if (event.epic !== undefined) return { eventId: id, bodies: [bodyOfEpic(id, event)] };
        const { projectId, confidential = false, authorId = 0 } = issue;
        const json = Buffer.from(JSON.stringify({ object_kind: 'issue', project: { id: projectId } }));
        const rendered = HookBody.fromPartial({ kind: 'issue', action: 'open', projectId, confidential, authorId });
        return {
          eventId: id,
          bodies: [{ ...rendered, feature: 'issues', objectKey: `issue:${issue.id}`, eventId: id, json }],
        };
      }),
    };
  },
};

let service: TestService;
let bus: EventBus;
let db: Database;
let root: Awaited<ReturnType<TestService['as']>>;
let top: number;
let inside: number;
let open: number;
let hidden: number;

const groupOf = async (path: string, parentId: number, visibility: string): Promise<number> =>
  bodyOf(
    await service
      .client(GroupServiceService)
      .createGroup(CreateGroupRequest.fromPartial({ parentId, settings: { name: path, path, visibility } }), root),
  ).id;
const projectOf = async (path: string, namespaceId: number, visibility: string): Promise<number> =>
  bodyOf(
    await service
      .client(ProjectServiceService)
      .createProject(
        CreateProjectRequest.fromPartial({ namespaceId, settings: { path, visibility, description: `About ${path}` } }),
        root,
      ),
  ).id;

let serial = 0;
async function issue(projectId: number, given: Partial<IssueEvent['issue']> = {}): Promise<string> {
  serial += 1;
  const id = `issue.created:${serial}:1`;
  // One issue in a project: its events keep their order on the bus.
  const event = IssueEvent.fromPartial({ issue: { id: projectId, projectId, ...given } });
  await publish(bus, issueEvents, event, id);
  return id;
}

async function feed(
  target: { project: number } | { group: number },
  token = '',
  request: Partial<ListChangesRequest> = {},
): Promise<Json> {
  const [of, name] =
    'project' in target
      ? [
          { $case: 'projectId', value: target.project },
          { $case: 'project', value: String(target.project) },
        ]
      : [
          { $case: 'groupId', value: target.group },
          { $case: 'group', value: String(target.group) },
        ];
  const as = await service.as(token, name as never);
  const reply = await service
    .client(ChangeServiceService)
    .listChanges(ListChangesRequest.fromPartial({ scope: { of } as never, ...request }), as);
  return conforming('Changes', JSON.parse(reply.json.toString()));
}

const eventIds = (page: Json): string[] => page.changes.map((change: Json) => change.event_id);

beforeAll(async () => {
  service = await startTestService({
    peers: { collaboration: { client: () => owner } as unknown as Peer },
  });
  bus = embeddedLog({ url: service.logDatabaseUrl, clientId: 'test' });
  db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  root = await service.as(rootToken);
  top = await groupOf('top', 0, 'public');
  inside = await groupOf('inside', top, 'private');
  open = await projectOf('open', top, 'public');
  hidden = await projectOf('hidden', inside, 'private');
});

afterAll(async () => {
  await db.close();
  await bus.close();
  await service.close();
});

test('what happens in a group is in its feed in one order, with the finished bodies (G-6-4)', async () => {
  await service
    .client(MilestoneServiceService)
    .createMilestone(
      CreateMilestoneRequest.fromPartial({ parent: { groupId: top }, title: 'v1' }),
      await service.as(rootToken, { $case: 'group', value: String(top) }),
    );
  const first = await issue(open);
  const kinds = (page: Json): string[] => page.changes.map(({ kind }: Json) => kind);
  await eventually(async () => {
    const page = await feed({ group: top }, rootToken);
    expect(eventIds(page)).toContain(first);
    expect(kinds(page)).toContain('milestone');
  });
  const page = await feed({ group: top }, rootToken);
  const names = page.changes.map(({ body }: Json) => body.event_name ?? body.object_kind);
  expect(names).toEqual(expect.arrayContaining(['subgroup_create', 'user_add_to_group', 'project_create', 'issue']));
  const positions = page.changes.map(({ position }: Json) => position);
  expect(positions).toEqual([...positions].sort((one, other) => one - other));
  const of = page.changes.find(({ event_id }: Json) => event_id === first);
  expect(of.body).toEqual({
    object_kind: 'issue',
    project: { id: open, description: 'About open' },
    change: { position: of.position, cursor: of.cursor },
  });
  // Of all positions there are, none is missing.
  const all = await db.query<{ position: number }>(sql`select position from changes order by position`);
  expect(all.map(({ position }) => position)).toEqual(all.map((_, index) => index + 1));
  const rest = await feed({ group: top }, rootToken, { after: page.changes[1].cursor, limit: 2 });
  expect(rest.changes).toEqual(page.changes.slice(2, 4));
  expect(rest).toMatchObject({ cursor: page.changes[3].cursor, more: true });
  expect(await feed({ group: top }, rootToken, { after: page.cursor })).toMatchObject({ changes: [], more: false });
});

test('imported history is in no feed: its owner is not asked for bodies (D6)', async () => {
  const history = IssueEvent.fromPartial({ issue: { id: open, projectId: open }, imported: true });
  await publish(bus, issueEvents, history, 'issue.created:history:1');
  // Of the same issue, so that it comes after it.
  const news = await issue(open);
  await eventually(async () => expect(eventIds(await feed({ project: open }, rootToken))).toContain(news));
  expect(eventIds(await feed({ project: open }, rootToken))).not.toContain('issue.created:history:1');
});

test('what a reader may not see is left out, and the cursor goes on all the same', async () => {
  const ids = [await issue(hidden), await issue(open, { confidential: true, authorId: root.actor.userId })];
  await eventually(async () =>
    expect(eventIds(await feed({ group: top }, rootToken))).toEqual(expect.arrayContaining(ids)),
  );
  const anonymous = await feed({ group: top });
  expect(eventIds(anonymous)).not.toEqual(expect.arrayContaining([ids[0]]));
  expect(eventIds(anonymous)).not.toEqual(expect.arrayContaining([ids[1]]));
  const text = JSON.stringify(anonymous);
  expect(text).toContain('project_create');
  for (const secret of ['inside', 'hidden']) expect(text).not.toContain(secret);
  const { cursor } = await feed({ group: top }, rootToken);
  expect(anonymous.cursor).toBe(cursor);
  await expect(feed({ project: hidden })).resolves.toMatchObject({ changes: [] });
});

test('epics are in the feeds of their group and of those above, for those who may read them', async () => {
  const publishEpic = async (id: number, groupId: number, confidential = false): Promise<string> => {
    const eventId = `epic.created:${id}:1`;
    await publish(bus, epicEvents, EpicEvent.fromPartial({ epic: { id, groupId, confidential } }), eventId);
    return eventId;
  };
  const { cursor } = await feed({ group: top }, rootToken);
  const ids = [await publishEpic(1, top), await publishEpic(2, top, true), await publishEpic(3, inside)];
  const seen = async (group: number, token?: string) => eventIds(await feed({ group }, token, { after: cursor }));
  await eventually(async () => expect((await seen(top, rootToken)).sort()).toEqual([...ids].sort()));
  expect(await seen(inside, rootToken)).toEqual([ids[2]]);
  expect(await seen(top)).toEqual([ids[0]]);
  expect(JSON.stringify(await feed({ group: top }, '', { after: cursor }))).not.toContain(`of ${inside}`);
  expect(await feed({ project: open }, rootToken, { after: cursor })).toMatchObject({ changes: [] });
  // A link to what is confidential says nothing of the epic itself.
  const link = { id: 5, linkType: 'blocks', otherId: 2, otherIid: 2, otherGroupId: top };
  const linked = { epic: { id: 1, groupId: top }, fact: { $case: 'linked' as const, value: { link } } };
  await publish(bus, epicEvents, EpicEvent.fromPartial(linked), 'epic.linked:1:5');
  await eventually(async () => expect(await seen(top, rootToken)).toContain('epic.linked:1:5'));
  expect(await seen(top)).toEqual([ids[0]]);
  // What becomes confidential is so in what the feed kept of it before.
  const hiding = EpicEvent.fromPartial({ epic: { id: 1, groupId: top, confidential: true } });
  await publish(bus, epicEvents, hiding, 'epic.updated:1:2');
  await eventually(async () => expect(await seen(top, rootToken)).toHaveLength(5));
  expect(await seen(top)).toEqual([]);
});

test('an owner that is away holds up its own events alone, and loses none of them', async () => {
  owner.away = true;
  const waiting = [await issue(open), await issue(open), await issue(open)];
  const { id } = bodyOf(
    await service
      .client(GroupServiceService)
      .createGroup(CreateGroupRequest.fromPartial({ parentId: top, settings: { name: 'Later', path: 'later' } }), root),
  );
  await eventually(async () =>
    expect(eventIds(await feed({ group: top }, rootToken))).toContain(`group_created:${id}#1`),
  );
  expect(eventIds(await feed({ project: open }, rootToken))).not.toContain(waiting[0]);
  owner.away = false;
  await eventually(async () => expect(eventIds(await feed({ project: open }, rootToken)).slice(-3)).toEqual(waiting));
});

test('an event that its owner refuses is recorded and passed over', async () => {
  owner.away = true;
  const before = await issue(open);
  const refused = await issue(open);
  const after = await issue(open);
  owner.refused.add(refused);
  owner.away = false;
  await eventually(
    async () => expect(eventIds(await feed({ project: open }, rootToken)).slice(-2)).toEqual([before, after]),
    {
      within: 30_000,
    },
  );
  const passed = await db.query(sql`select event_id, owner, type, reason from passed_over_changes`);
  expect(passed).toEqual([
    { event_id: refused, owner: 'collaboration', type: 'issue.changed', reason: 'Error: no body for this one' },
  ]);
});

test('a member who is added is named, once', async () => {
  const { id } = bodyOf(
    await service.client(UserServiceService).createUser(
      CreateUserRequest.fromPartial({
        settings: { username: 'ada', name: 'Ada', email: 'ada@forge.example', password: 'correct horse battery' },
        skipConfirmation: true,
      }),
      root,
    ),
  );
  await service.client(MemberServiceService).addMembers(
    AddMembersRequest.fromPartial({
      source: { projectId: open },
      userIds: [id],
      accessLevel: 30,
    }),
    await service.as(rootToken, { $case: 'project', value: String(open) }),
  );
  const added = (page: Json) => page.changes.filter(({ kind }: Json) => kind === 'member');
  await eventually(async () => expect(added(await feed({ project: open }, rootToken))).toHaveLength(1));
  const [change] = added(await feed({ project: open }, rootToken));
  expect(change).toMatchObject({ action: 'add', project_id: open, group_id: null });
  expect(change.body).toMatchObject({
    event_name: 'user_add_to_team',
    access_level: 'Developer',
    project_path_with_namespace: 'top/open',
    user_username: 'ada',
    user_email: '[REDACTED]',
  });
  // Hooks of the instance alone carry users: they are in the one order, and in no feed.
  const ofUser = await db.query<{ body: string }>(sql`select body from changes where object_key = ${`user:${id}`}`);
  expect(ofUser.map(({ body }) => JSON.parse(body))).toMatchObject([{ event_name: 'user_create', username: 'ada' }]);
});

test('a watched feed begins with its cursor and brings each change once', async () => {
  const { cursor } = await feed({ project: open }, rootToken);
  const as = await service.as(rootToken, { $case: 'project', value: String(open) });
  const ending = new AbortController();
  const steps: Json[] = [];
  const scope = { of: { $case: 'projectId', value: open } } as const;
  const watching = (async () => {
    const stream = service
      .client(ChangeServiceService)
      .watchChanges({ scope, after: cursor }, { ...as, signal: ending.signal, timeoutMs: 30_000 });
    for await (const step of stream)
      steps.push({
        cursor: step.cursor,
        change: step.json.length === 0 ? undefined : JSON.parse(step.json.toString()),
      });
  })().catch(() => undefined);
  await eventually(() => expect(steps).toEqual([{ cursor, change: undefined }]));
  const ids = [await issue(open), await issue(open)];
  await eventually(() => expect(steps.slice(1).map(({ change }) => change.event_id)).toEqual(ids));
  expect(steps.at(-1).cursor).toBe(steps.at(-1).change.cursor);
  ending.abort();
  await watching;
});

test('two processes that work off the same events double nothing', async () => {
  const pending = pendingChangeStore(db);
  const { position } = (await db.one<{ position: number }>(sql`select max(position) as position from changes`)) ?? {
    position: 0,
  };
  // The real worker does not know this owner.
  const name = 'another' as never;
  const body = encodeBody(issueEvents, IssueEvent.fromPartial({ issue: { id: 1, projectId: open } }));
  await db.transaction(async (tx) => {
    for (let n = 0; n < 5; n += 1)
      await pending.add(tx, name, { eventId: `twice:${n}`, type: 'issue.changed', body, projectId: 0 });
  });
  const edges = { db, pending, changes: changeStore(db), followers: [], countPassedOver: () => undefined };
  let arrived = 0;
  let release = (): void => undefined;
  const together = new Promise<void>((settle) => {
    release = settle;
  });
  const round = () =>
    renderChanges(
      name,
      async (events) => {
        arrived += 1;
        if (arrived === 2) release();
        await together;
        return (
          await owner.renderHookBodies({
            events: events.map(({ eventId: id, type, body: text }) => ({ id, type, body: text })),
          })
        ).rendered;
      },
      edges,
    )();
  expect(await Promise.all([round(), round()])).toEqual(['done', 'done']);
  const stored = await db.query<{ event_id: string }>(
    sql`select event_id from changes where position > ${position} and event_id like 'twice:%' order by position`,
  );
  expect(stored.map(({ event_id }) => event_id)).toEqual([0, 1, 2, 3, 4].map((n) => `twice:${n}`));
});

test('projects rest while a part of their owner is away, also for another process, and then go on in order', async () => {
  const pending = pendingChangeStore(db);
  const name = 'divided' as never;
  const add = (...events: readonly (readonly [string, number])[]) =>
    db.transaction(async (tx) => {
      for (const [eventId, projectId] of events) {
        const body = encodeBody(issueEvents, IssueEvent.fromPartial({ issue: { id: projectId, projectId } }));
        await pending.add(tx, name, { eventId, type: 'issue.changed', body, projectId });
      }
    });
  const away = new Map([
    [hidden, 'one'],
    [inside, 'two'],
  ]);
  const edges = { db, pending, changes: changeStore(db), followers: [], countPassedOver: () => undefined };
  const asked: string[][] = [];
  /** Rounds of a process that has just been started. */
  const rounds = async (): Promise<string[]> => {
    const round = renderChanges(
      name,
      async (events) => {
        asked.push(events.map(({ eventId }) => eventId));
        const request = { events: events.map(({ eventId: id, type, body }) => ({ id, type, body })) };
        const { rendered } = await owner.renderHookBodies(request);
        return rendered.map((one, index) => ({ ...one, away: away.get(events[index]?.projectId ?? 0) }));
      },
      edges,
    );
    const ends = [await round()];
    while (ends.at(-1) !== 'idle') ends.push(await round());
    return ends;
  };
  const stored = async () =>
    (
      await db.query<{ event_id: string }>(
        sql`select event_id from changes where event_id like 'divided:%' order by position`,
      )
    ).map(({ event_id }) => event_id);
  await add(['divided:1', open], ['divided:2', hidden], ['divided:3', inside], ['divided:4', open]);
  expect(await rounds()).toEqual(['done', 'idle']);
  await add(['divided:5', hidden], ['divided:6', open]);
  expect(await rounds()).toEqual(['done', 'idle']);
  expect(await stored()).toEqual(['divided:1', 'divided:4', 'divided:6']);
  // Of each part that is away one event is asked about, and not of all that waits.
  expect(asked.slice(1).sort()).toEqual([['divided:2'], ['divided:3'], ['divided:6']]);
  away.delete(hidden);
  expect(await rounds()).toEqual(['done', 'idle']);
  expect((await stored()).slice(3)).toEqual(['divided:2', 'divided:5']);
  away.clear();
  expect(await rounds()).toEqual(['done', 'idle']);
  expect((await stored()).slice(5)).toEqual(['divided:3']);
  expect(await db.query(sql`select from resting_changes`)).toEqual([]);
});

test('events of merge-requests wait with their project, whatever their keys', async () => {
  const projectId = open;
  await publish(bus, repositoryPushed, RepositoryPushedEvent.fromPartial({ projectId }), 'waits:push');
  const mergeRequest = { id: 7, projectId };
  await publish(bus, mergeRequestEvents, MergeRequestEvent.fromPartial({ mergeRequest }), 'waits:merge-request');
  await publish(bus, pipelineEvents, PipelineEvent.fromPartial({ pipelineId: 8, projectId }), 'waits:pipeline');
  const deployment = { environmentId: 9, projectId };
  await publish(bus, deploymentEvents, DeploymentEvent.fromPartial({ deployment }), 'waits:deployment');
  await publish(bus, releaseEvents, ReleaseEvent.fromPartial({ release: { id: 10, projectId } }), 'waits:release');
  const waiting = ['deployment', 'merge-request', 'pipeline', 'push', 'release'];
  await eventually(async () =>
    expect(
      await db.query(
        sql`select event_id, project_id from pending_changes where event_id like 'waits:%' order by event_id`,
      ),
    ).toEqual(waiting.map((kind) => ({ event_id: `waits:${kind}`, project_id: projectId }))),
  );
});

test('a cursor of what is no longer kept is refused, and the text says where to go on', async () => {
  await db.query(sql`update changes set created_at = now() - interval '8 days' where position <= 5`);
  expect(await changeStore(db).prune(7, 3)).toBe(3);
  expect(await changeStore(db).prune(7, 100)).toBe(2);
  expect(await changeStore(db).prune(7, 100)).toBe(0);
  await expect(feed({ group: top }, rootToken, { after: '4' })).rejects.toMatchObject({
    kind: 'gone',
    body: { message: 'The changes after this cursor are no longer kept; go on with after=5' },
  });
  expect((await feed({ group: top }, rootToken, { after: '5' })).changes.length).toBeGreaterThan(0);
  for (const after of ['-1', 'x', '99999999999999999', '900000'])
    await expect(feed({ group: top }, rootToken, { after })).rejects.toMatchObject({ kind: 'bad_request' });
});
