import { randomUUID } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import { issueEventId, issueEvents } from '@switchyard/events';
import {
  AlertAssigneeFilter_Kind,
  AlertServiceService,
  ListAlertsRequest,
  UpdateAlertRequest,
} from '@switchyard/protos/alerts/v1/alert';
import { AlertTargetServiceService } from '@switchyard/protos/alerts/v1/alert_target';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import {
  type DirectoryProject,
  DirectoryProjectSettings,
  type DirectoryUser,
} from '@switchyard/protos/groups_admin/v1/directory';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import type { RpcClient } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { severityNumber, statusNumber } from '../../src/alerts/domain/alert';
import { alertPurge } from '../../src/alerts/storage/alert-purge.store';
import { externalUrl, type Installation, json, startInstallation } from '../support/installation';

let here: Installation;
let alerts: RpcClient<typeof AlertServiceService>;
let groupId: number;
let ada: DirectoryUser;
let bob: DirectoryUser;
let eve: DirectoryUser;
let bot: DirectoryUser;

beforeAll(async () => {
  here = await startInstallation();
  alerts = here.client(AlertServiceService);
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  bot = directory.user({ username: 'alert-bot', bot: true, kind: 'alert_bot' });
  groupId = directory.namespace().id;
  [ada, bob, eve] = ([40, 30, 10] as const).map((level) => {
    const user = directory.user();
    directory.member(user.id, { namespaceId: groupId }, level);
    return user;
  }) as [DirectoryUser, DirectoryUser, DirectoryUser];
});

afterAll(() => here?.close());

const as = (project: DirectoryProject, user = bob) => here.as({ id: user.id }, { id: project.id, level: 30 });
const newProject = () => here.directory.project(groupId);
const pathOf = (project: DirectoryProject) => `${here.directory.namespaces.get(groupId)?.fullPath}/${project.path}`;

interface Raised {
  title?: string;
  status?: 'triggered' | 'acknowledged' | 'resolved' | 'ignored';
  severity?: 'critical' | 'high' | 'low';
  fingerprint?: string;
  service?: string;
  payload?: string;
  events?: number;
}

/** Puts alerts into a project, as payloads would; returns their ids. */
async function raise(project: DirectoryProject, ...given: Raised[]): Promise<number[]> {
  const ids: number[] = [];
  for (const { title = 'Down', status = 'triggered', severity = 'high', ...more } of given) {
    const [row] = await here.db.query<{ id: number }>(sql`
      with numbered as (
        insert into alert_counters as c (project_id, last_iid) values (${project.id}, 1)
        on conflict (project_id) do update set last_iid = c.last_iid + 1 returning last_iid),
      raised as (insert into alerts (project_id, iid, title, severity, status, service, fingerprint, events, started_at, starts_told,
        last_started_at, ended_at, format, details, payload)
      select ${project.id}, last_iid, ${title}, ${severityNumber(severity)}, ${statusNumber(status)}, ${more.service ?? null},
        ${more.fingerprint ?? null}, ${more.events ?? 1}, now(), true, now(), ${status === 'resolved' ? new Date() : null}, 'custom',
        '{"region":"eu"}', ${more.payload ?? '{}'}::json from numbered returning id),
      texts as (
        insert into alert_texts (alert_id, text) select id, ${title} || E'\\n' || ${more.service ?? ''} from raised)
      select id from raised`);
    ids.push(row?.id as number);
  }
  return ids;
}

const list = async (project: DirectoryProject, given: Partial<ListAlertsRequest> = {}) =>
  json(await alerts.listAlerts(ListAlertsRequest.fromPartial({ projectId: project.id, ...given }), as(project)));

const get = async (project: DirectoryProject, iid = 1) =>
  json(await alerts.getAlert({ projectId: project.id, iid }, as(project)));

const update = async (project: DirectoryProject, given: Partial<UpdateAlertRequest>, iid = 1) =>
  json(await alerts.updateAlert(UpdateAlertRequest.fromPartial({ projectId: project.id, iid, ...given }), as(project)));

const titles = (rows: { title: string }[]) => rows.map(({ title }) => title);

/** Facts that the outbox has of an alert, in order. */
async function factsOf(alertId: number) {
  const rows = await here.db.query<{ body: Record<string, unknown> }>(
    sql`select body from events.outbox where key = ${String(alertId)} order by id`,
  );
  return rows.map(({ body }) => body);
}

describe('alerts', () => {
  it('are listed by what they are, in each order, page by page both ways', async () => {
    const project = newProject();
    await raise(
      project,
      { title: 'A', severity: 'low', service: 'Web 100%', events: 3 },
      { title: 'B', severity: 'critical', status: 'resolved', fingerprint: 'b'.repeat(40) },
      { title: 'C', severity: 'high', status: 'ignored' },
    );
    await update(project, { assignees: { userIds: [ada.id] } }, 3);
    const order = (orderBy: string, descending: boolean) =>
      list(project, { page: PageRequest.fromPartial({ perPage: 20, orderBy, descending }) });
    expect(titles(await list(project))).toEqual(['C', 'B', 'A']);
    expect(titles(await order('severity', true))).toEqual(['B', 'C', 'A']);
    expect(titles(await order('status', false))).toEqual(['A', 'B', 'C']);
    expect(titles(await order('events', true))).toEqual(['A', 'C', 'B']);
    expect(titles(await order('ended_at', true))).toEqual(['C', 'A', 'B']);
    expect(titles(await list(project, { statuses: ['resolved', 'ignored'] }))).toEqual(['C', 'B']);
    expect(titles(await list(project, { severities: ['critical'] }))).toEqual(['B']);
    expect(titles(await list(project, { search: 'WEB 100%' }))).toEqual(['A']);
    expect(titles(await list(project, { search: 'web_100' }))).toEqual([]);
    expect(titles(await list(project, { fingerprint: 'b'.repeat(40) }))).toEqual(['B']);
    const by = (kind: AlertAssigneeFilter_Kind, userId = 0, username = '') =>
      list(project, { assignee: { kind, userId, username } }).then(titles);
    expect(await by(AlertAssigneeFilter_Kind.KIND_NONE)).toEqual(['B', 'A']);
    expect(await by(AlertAssigneeFilter_Kind.KIND_ANY)).toEqual(['C']);
    expect(await by(AlertAssigneeFilter_Kind.KIND_USER, ada.id)).toEqual(['C']);
    expect(await by(AlertAssigneeFilter_Kind.KIND_USER, 0, ada.username.toUpperCase())).toEqual(['C']);
    expect(await by(AlertAssigneeFilter_Kind.KIND_USER, bob.id)).toEqual([]);

    const walk = async (keyset: boolean) => {
      const seen: string[] = [];
      let cursor = '';
      for (let page = 1; page <= 3; page += 1) {
        const wanted = { keyset, page, cursor, perPage: 1, orderBy: 'ended_at', descending: true };
        const reply = await alerts.listAlerts(
          ListAlertsRequest.fromPartial({ projectId: project.id, page: wanted }),
          as(project),
        );
        seen.push(...titles(json(reply)));
        cursor = reply.page?.nextCursor ?? '';
      }
      return seen;
    };
    expect([await walk(false), await walk(true)]).toEqual([
      ['C', 'A', 'B'],
      ['C', 'A', 'B'],
    ]);
  });

  it('show their exact payload, one by one', async () => {
    const project = newProject();
    await raise(project, { payload: '{"n": 12345678901234567890, "s": "\\u0000"}' });
    const reply = await alerts.getAlert({ projectId: project.id, iid: 1 }, as(project));
    expect(reply.json.toString()).toContain('"payload":{"n": 12345678901234567890, "s": "\\u0000"}}');
    expect(json(reply)).toMatchObject({
      iid: 1,
      severity: 'high',
      details: { region: 'eu' },
      issue: null,
      integration: null,
      web_url: `${externalUrl}/${pathOf(project)}/-/alert_management/1/details`,
    });
    const other = newProject();
    await expect(get(other)).rejects.toMatchObject({ body: { message: '404 Alert Not Found' } });
    expect((await list(project))[0]).not.toHaveProperty('payload');
  });

  it('take any status by hand, and say so', async () => {
    const project = newProject();
    const [id = 0] = await raise(project, {});
    expect(await update(project, { status: 'acknowledged' })).toMatchObject({ status: 'acknowledged', ended_at: null });
    expect(await update(project, { status: 'acknowledged' })).toMatchObject({ status: 'acknowledged' });
    expect((await update(project, { status: 'resolved' })).ended_at).not.toBeNull();
    expect(await update(project, { status: 'ignored' })).toMatchObject({ status: 'ignored', ended_at: null });
    expect(await factsOf(id)).toMatchObject([
      { actorId: bob.id, statusChanged: { previous: 'triggered', cause: 'CAUSE_USER' }, alert: { version: 2 } },
      { statusChanged: { previous: 'acknowledged' }, alert: { status: 'resolved', version: 3 } },
      { statusChanged: { previous: 'resolved' }, alert: { status: 'ignored', version: 4 } },
    ]);
  });

  it('are not reopened while another one has their fingerprint', async () => {
    const project = newProject();
    const fingerprint = 'c'.repeat(40);
    await raise(project, { fingerprint, status: 'resolved' }, { fingerprint });
    await expect(update(project, { status: 'triggered' })).rejects.toMatchObject({
      kind: 'conflict',
      body: { message: 'Another unresolved alert has the same fingerprint' },
    });
    expect(await get(project)).toMatchObject({ status: 'resolved' });
    await update(project, { status: 'resolved' }, 2);
    expect(await update(project, { status: 'triggered' })).toMatchObject({ status: 'triggered', ended_at: null });
  });

  it('are given to those who may read them', async () => {
    const project = newProject();
    const [id = 0] = await raise(project, {});
    await expect(update(project, { assignees: { userIds: [ada.id, eve.id, 999] } })).rejects.toMatchObject({
      body: {
        message: {
          assignee_ids: [
            `${eve.id} may not read the alerts of the project`,
            '999 may not read the alerts of the project',
          ],
        },
      },
    });
    const assigned = await update(project, {
      status: 'acknowledged',
      assignees: { userIds: [bob.id, ada.id, ada.id] },
    });
    expect(assigned.assignees.map(({ id: userId }: { id: number }) => userId)).toEqual([ada.id, bob.id]);
    expect((await update(project, { assignees: { userIds: [bob.id] } })).assignees).toHaveLength(1);
    expect((await update(project, { assignees: { userIds: [] } })).assignees).toEqual([]);
    expect(await factsOf(id)).toMatchObject([
      { statusChanged: { previous: 'triggered' } },
      { assigned: { addedAssigneeIds: [bob.id, ada.id] }, alert: { version: 3, status: 'acknowledged' } },
      { assigned: { removedAssigneeIds: [ada.id] } },
      { assigned: { removedAssigneeIds: [bob.id] } },
    ]);
  });

  it('are given by many at once, more than there are connections', async () => {
    const project = newProject();
    await raise(project, ...Array.from({ length: 30 }, () => ({})));
    const given = await Promise.all(
      Array.from({ length: 30 }, (_, at) => update(project, { assignees: { userIds: [bob.id] } }, at + 1)),
    );
    expect(given.map(({ assignees }) => assignees.length)).toEqual(Array(30).fill(1));
  });

  it('are targets of what Developers do in other services', async () => {
    const project = newProject();
    const [id = 0] = await raise(project, { title: 'Target' });
    const targets = here.client(AlertTargetServiceService, 'collaboration');
    const looking = (user: DirectoryUser) => here.as({ id: user.id });
    const { targets: found } = await targets.batchGet({ ids: [id, 999_999] }, looking(bob));
    expect(found).toMatchObject([{ id, iid: 1, projectId: project.id, readable: true, title: 'Target' }]);
    expect(JSON.parse((found[0] as { json: Buffer }).json.toString())).toMatchObject({ id, status: 'triggered' });
    const hidden = await targets.batchGet({ ids: [id] }, looking(eve));
    expect(hidden.targets).toMatchObject([{ id, readable: false, title: '', webUrl: '' }]);
    const key = { projectId: project.id, iid: 1 };
    expect(await targets.describe(key, looking(bob))).toMatchObject({ id, status: 'triggered', assigneeIds: [] });
    await expect(targets.find(key, looking(eve))).rejects.toMatchObject({ kind: 'not_found' });
    await expect(here.client(AlertTargetServiceService).find(key, looking(bob))).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });
});

describe('an incident', () => {
  const issue = (project: DirectoryProject, id: number) => ({ id, iid: id, projectId: project.id });
  let lastIssue = 1_000;
  const publish = (
    subject: ReturnType<typeof issue>,
    fact: NonNullable<IssueEvent['fact']>,
    cause: string,
    actorId = bob.id,
  ) =>
    here.publish(
      issueEvents,
      IssueEvent.fromPartial({ issue: subject, actorId, occurredAt: new Date(), fact }),
      issueEventId(fact.$case, subject.id, cause),
    );
  const opened = (alertId: number, movedFromId = 0): NonNullable<IssueEvent['fact']> => ({
    $case: 'created',
    value: { assigneeIds: [], mentions: undefined, labelIds: [], movedFromId, alertId, epicId: 0 },
  });
  const closed = { $case: 'closed', value: { byMergeRequestId: 0 } } as const;
  const request = (project: DirectoryProject) => alerts.requestIncident({ projectId: project.id, iid: 1 }, as(project));
  /** An alert with an incident. */
  async function linked() {
    const project = newProject();
    const [id = 0] = await raise(project, {});
    lastIssue += 1;
    const subject = issue(project, lastIssue);
    await publish(subject, opened(id), '1', bot.id);
    await eventually(async () => expect((await get(project)).issue).toMatchObject({ id: subject.id }));
    return { project, id, subject };
  }

  it('is asked for, and there within the answer once collaboration has opened it', async () => {
    const project = newProject();
    const [id = 0] = await raise(project, {});
    const asked = request(project);
    await eventually(async () =>
      expect(await factsOf(id)).toMatchObject([
        { actorId: bob.id, incidentWanted: { details: { attributes: [{ name: 'region', value: 'eu' }] } } },
      ]),
    );
    lastIssue += 1;
    await publish(issue(project, lastIssue), opened(id), '1', bot.id);
    const reply = await asked;
    expect([reply.status, json(reply)]).toEqual([
      201,
      {
        id: lastIssue,
        iid: lastIssue,
        project_id: project.id,
        web_url: `${externalUrl}/group/project/-/issues/${lastIssue}`,
      },
    ]);
    await expect(request(project)).rejects.toMatchObject({ body: { message: 'An issue already exists' } });
  });

  it('cannot be asked for in a project without issues', async () => {
    const project = here.directory.project(groupId, {
      settings: DirectoryProjectSettings.fromPartial({ issuesEnabled: false }),
    });
    const [id = 0] = await raise(project, {});
    await expect(request(project)).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await factsOf(id)).toEqual([]);
  });

  it('that a user closes resolves its alert; one that the end of the alert closed does not', async () => {
    const { project, id, subject } = await linked();
    await publish(subject, closed, '2', bot.id);
    const other = await linked();
    await publish(other.subject, closed, '2');
    await eventually(async () => expect(await get(other.project)).toMatchObject({ status: 'resolved' }));
    expect(await factsOf(other.id)).toMatchObject([
      {
        statusChanged: { previous: 'triggered', cause: 'CAUSE_INCIDENT' },
        alert: { status: 'resolved', incidentIid: other.subject.iid },
      },
    ]);
    expect((await factsOf(other.id))[0]).not.toHaveProperty('actorId');
    await eventually(async () =>
      expect(
        await here.db.query(
          sql`select 1 from events.inbox where event_id = ${issueEventId('closed', subject.id, '2')}`,
        ),
      ).toHaveLength(1),
    );
    expect(await get(project)).toMatchObject({ status: 'triggered' });
    expect(await factsOf(id)).toEqual([]);
  });

  it('that moves stays the alert of its alert, in whatever order the events come', async () => {
    const { project, id, subject } = await linked();
    const target = newProject();
    lastIssue += 1;
    const moved = issue(target, lastIssue);
    const { id: toIssueId, iid: toIssueIid, projectId: toProjectId } = moved;
    const away = { $case: 'moved', value: { toIssueId, toIssueIid, toProjectId } } as const;
    await publish(moved, opened(id, subject.id), '1');
    await publish(subject, away, '1');
    await publish(subject, closed, '3');
    const link = {
      id: moved.id,
      project_id: target.id,
      web_url: `${externalUrl}/${pathOf(target)}/-/issues/${moved.iid}`,
    };
    await eventually(async () => {
      expect((await get(project)).issue).toEqual({ ...link, iid: moved.iid });
      expect(
        await here.db.query(
          sql`select 1 from events.inbox where event_id = ${issueEventId('closed', subject.id, '3')}`,
        ),
      ).toHaveLength(1);
    });
    expect(await get(project)).toMatchObject({ status: 'triggered' });
    await publish(moved, { $case: 'deleted', value: {} }, '1');
    await eventually(async () => expect((await get(project)).issue).toBeNull());
  });

  it('that is slow in coming is answered 202', async () => {
    const project = newProject();
    const [id = 0] = await raise(project, {});
    const asked = request(project);
    await eventually(async () => expect(await factsOf(id)).toHaveLength(1));
    // A process that stops does not let its callers wait.
    await Promise.all([here.stop(), expect(asked).resolves.toMatchObject({ status: 202 })]);
    await here.start();
  });
});

it('a receipt is shown only in its project', async () => {
  const project = newProject();
  const id = randomUUID();
  await here.db.query(sql`
    insert into alert_receipts (id, project_id, integration_id, format, items)
    values (${id}, ${project.id}, 5, 'metrics', '[{"outcome":"rejected","reason":"title_missing"}]')`);
  const find = (where: DirectoryProject, receiptId: string) =>
    alerts.getAlertReceipt({ projectId: where.id, receiptId }, as(where));
  expect(json(await find(project, id))).toMatchObject({
    id,
    integration_id: 5,
    items: [{ outcome: 'rejected', reason: 'title_missing', iid: null, title: null }],
  });
  const unknown = { body: { message: '404 Receipt Not Found' } };
  await expect(find(newProject(), id)).rejects.toMatchObject(unknown);
  await expect(find(project, 'x')).rejects.toMatchObject(unknown);
});

it('nothing is left of a project that is gone', async () => {
  const [gone, kept] = [newProject(), newProject()];
  const tables = ['alerts', 'alert_counters', 'alert_settings', 'http_integrations', 'alert_receipts', 'episode_ends'];
  for (const project of [gone, kept]) {
    await raise(project, {}, {});
    await here.db.query(sql`insert into alert_settings (project_id) values (${project.id})`);
    await here.db.query(sql`
      insert into http_integrations (project_id, name, endpoint_id, key_digest, key_hint, active)
      values (${project.id}, 'I', lpad(to_hex(${project.id}::bigint), 16, '0'), decode(repeat('00', 32), 'hex'), '0000', true)`);
    await here.db.query(sql`
      insert into alert_receipts (id, project_id, integration_id, format, items)
      values (gen_random_uuid(), ${project.id}, 1, 'custom', '[]')`);
    await here.db.query(sql`
      insert into episode_ends (project_id, fingerprint, ended_at) values (${project.id}, 'f', now()), (${project.id}, 'g', now())`);
  }
  await list(kept);
  await here.db.query(sql`
    update alerts set issue_id = 7, issue_iid = 1, issue_project_id = ${gone.id} where project_id = ${kept.id} and iid = 1`);
  await here.db.query(sql`
    update alerts set issue_id = 8, issue_iid = 2, issue_project_id = ${kept.id} where project_id = ${kept.id} and iid = 2`);
  await here.db.query(sql`update directory.projects set deleted_at = now() where id = ${gone.id}`);
  const purge = alertPurge(here.db);
  while ((await purge.removeOrphans(1)) > 0);
  const left = await here.db.query(sql`
    select 'alerts' as of, project_id from alerts union all select 'alert_counters', project_id from alert_counters
    union all select 'alert_settings', project_id from alert_settings union all select 'http_integrations', project_id from http_integrations
    union all select 'alert_receipts', project_id from alert_receipts union all select 'episode_ends', project_id from episode_ends`);
  expect(left.filter(({ project_id: id }) => id === gone.id)).toEqual([]);
  expect(new Set(left.filter(({ project_id: id }) => id === kept.id).map(({ of }) => of))).toEqual(new Set(tables));
  // An incident that was moved to the project has gone with it.
  expect(
    await here.db.query(sql`select issue_id, issue_project_id from alerts where project_id = ${kept.id} order by iid`),
  ).toEqual([
    { issue_id: null, issue_project_id: null },
    { issue_id: 8, issue_project_id: kept.id },
  ]);
});
