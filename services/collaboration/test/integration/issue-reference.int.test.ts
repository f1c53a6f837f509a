import { countStatements, type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type Directory, startDirectory } from '@switchyard/directory';
import {
  MergeRequestCreated,
  MergeRequestEvent,
  MergeRequestIssueReferences,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { logger } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { DirectoryModel } from '@switchyard/testkit/installation';
import { issueReferences } from '@switchyard/texts';
import {
  closeIssuesOfPush,
  followIssueReferences,
  type ReferringEvent,
} from '../../src/issues/application/follow-issue-references';
import { issueStore } from '../../src/issues/storage/issue.store';
import { changeIssue } from '../../src/issues/storage/issue-change.store';
import { issueDirectoryWithin } from '../../src/issues/storage/issue-directory.store';
import { issueLinks, issueMergeRequestList } from '../../src/issues/storage/issue-link.store';
import { issueReferenceFollower } from '../../src/issues/transport/issue-reference.follower';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;
let directory: Directory;
const model = new DirectoryModel();
model.user({ username: 'ghost', bot: true });
const group = model.namespace({ fullPath: 'team', path: 'team', visibility: 'public' });
const home = model.project(group.id, { path: 'home', visibility: 'public' });
const beside = model.project(group.id, { path: 'beside', visibility: 'public' });
const vault = model.project(group.id, { path: 'vault', visibility: 'private' });
const old = model.project(group.id, { path: 'old', visibility: 'public', archived: true });
const [merger, outsider, planner] = [model.user(), model.user(), model.user()];
const blocked = model.user({ state: 'blocked', admin: true });
const admin = model.user({ admin: true });
model.member(merger.id, { projectId: home.id }, 30);
model.member(planner.id, { namespaceId: group.id }, 15);

const externalUrl = 'https://code.example';
const mergeRequest = { id: 70, iid: 7, projectId: home.id, closed: false };
const follow = followIssueReferences({
  links: issueLinks,
  directory: issueDirectoryWithin,
  changeIssue,
  clock: () => new Date(),
});
const happens = (fact: ReferringEvent['fact'], actorId = 0) =>
  db.transaction((tx) => follow(tx, { mergeRequest, actorId, fact }));
const write = (text: string) => happens({ kind: 'written', references: issueReferences([text], externalUrl) });
const merge = (actorId: number, targetBranch = 'main') => happens({ kind: 'merged', targetBranch }, actorId);

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'reference test' });
  directory = await startDirectory({ db, client: model.client, pollMs: 100, log: logger });
  await eventually(() => expect(directory.ready()).toBe(true));
});
afterAll(async () => {
  await directory.close();
  await db.close();
  await database.close();
});

beforeEach(async () => {
  await db.query(sql`truncate issues, issue_merge_requests, events.outbox cascade`);
  for (const { id } of [home, beside, vault, old])
    await db.query(sql`
      insert into issues (iid, project_id, author_id, title) select n, ${id}, ${admin.id}, 'Issue' from generate_series(1, 3) n`);
});

const all = 'Closes #1, beside#1, team/vault#1 and https://code.example/team/old/-/issues/1. See #2 and #99.';
const closed = async () => {
  const rows = await db.query<{ project_id: number; iid: number }>(
    sql`select project_id, iid from issues where state = 'closed' order by id`,
  );
  const names = new Map([home, beside, vault, old].map(({ id, path }) => [id, path]));
  return rows.map(({ project_id, iid }) => `${names.get(project_id)}#${iid}`);
};

describe('issues that a merge request names', () => {
  it.each<[string, () => number, string[]]>([
    ['a outsider', () => outsider.id, []],
    ['who may edit the issues of one project', () => merger.id, ['home#1']],
    ['who may edit those of the group', () => planner.id, ['home#1', 'beside#1', 'vault#1']],
    ['an administrator, but in an archived project', () => admin.id, ['home#1', 'beside#1', 'vault#1']],
    ['an administrator who is blocked', () => blocked.id, []],
    ['nobody', () => 0, []],
  ])('are closed when it lands, as far as it may be by %s', async (_, actor, expected) => {
    await write(all);
    await merge(actor());
    expect(await closed()).toEqual(expected);
  });

  it('are closed once, with an event that names the merge request', async () => {
    await write('Closes #1');
    await merge(merger.id);
    await merge(merger.id);
    const events = await db.query<{ body: { closed: unknown } }>(sql`select body from events.outbox`);
    expect(events.map(({ body }) => body.closed)).toEqual([{ byMergeRequestId: mergeRequest.id }]);
  });

  it('stay open when it lands elsewhere, when the text was changed, and when it is deleted', async () => {
    await write('Closes #1');
    await merge(merger.id, 'stable');
    expect(await closed()).toEqual([]);
    await write('Closes #2, see #1');
    await merge(merger.id);
    expect(await closed()).toEqual(['home#2']);
    await happens({ kind: 'deleted' });
    expect(await db.query(sql`select 1 from issue_merge_requests`)).toEqual([]);
  });

  it('count those merge requests alone that the reader sees', async () => {
    await write('Closes #1');
    await db.transaction((tx) =>
      issueLinks.replace(tx, { id: 71, iid: 1, projectId: vault.id, closed: false }, [
        { projectId: home.id, iid: 1, closes: true },
      ]),
    );
    const counted = async ({ id: userId, admin: isAdmin }: { id: number; admin: boolean }) => {
      const viewer = { userId, admin: isAdmin, external: false };
      const one = await issueStore(db).view({ projectId: home.id, iid: 1 }, { ...viewer, level: 0 });
      const listed = await issueMergeRequestList(db).page({ projectId: home.id, iid: 1 }, true, viewer, {
        mode: 'offset',
        page: 1,
        perPage: 20,
        orderBy: 'id',
        sort: 'asc',
      });
      expect(one?.mergeRequestsCount).toBe(listed.page.total);
      return one?.mergeRequestsCount;
    };
    expect([await counted(outsider), await counted(planner), await counted(admin)]).toEqual([1, 1, 2]);
  });

  it('count and list those alone that can still close them', async () => {
    const listed = async (closing: boolean) => {
      const request = { mode: 'offset', page: 1, perPage: 20, orderBy: 'id', sort: 'asc' } as const;
      const viewer = { userId: admin.id, admin: true, external: false };
      const issue = { projectId: home.id, iid: 1 };
      const { ids } = await issueMergeRequestList(db).page(issue, closing, viewer, request);
      const view = await issueStore(db).view(issue, viewer);
      if (closing) expect(view?.mergeRequestsCount).toBe(ids.length);
      return ids;
    };
    const stands = (closed: boolean) =>
      db.transaction((tx) =>
        follow(tx, { mergeRequest: { ...mergeRequest, closed }, actorId: admin.id, fact: { kind: 'stood' } }),
      );
    await write('Closes #1');
    await stands(true);
    expect([await listed(true), await listed(false)]).toEqual([[], [mergeRequest.id]]);
    await db.transaction((tx) =>
      follow(tx, {
        mergeRequest: { ...mergeRequest, closed: true },
        actorId: admin.id,
        fact: { kind: 'written', references: issueReferences(['Fixes #1'], externalUrl) },
      }),
    );
    expect(await listed(true)).toEqual([]);
    await stands(false);
    expect(await listed(true)).toEqual([mergeRequest.id]);
    await merge(admin.id);
    expect(await listed(true)).toEqual([mergeRequest.id]);
  });

  it('are linked without a word where it was imported, and closed when it lands here (D6)', async () => {
    const follower = issueReferenceFollower(follow);
    const naming = (text: string) => MergeRequestIssueReferences.fromJSON(issueReferences([text], externalUrl));
    const meta = { id: 'e', type: 't', topic: 't', key: 'k', time: new Date(), body: '', attempt: 1 };
    const event = (given: Partial<MergeRequestEvent>, state = 'opened') => {
      const whole = { ...given, mergeRequest: { ...mergeRequest, state } };
      return db.transaction((tx) => follower(tx, MergeRequestEvent.fromPartial(whole as never), meta));
    };
    const links = () => db.query(sql`select iid, closes, closed from issue_merge_requests order by iid`);
    const value = MergeRequestCreated.fromPartial({ issueReferences: naming('Closes #1') });
    await event({ imported: true, fact: { $case: 'created', value } });
    expect(await links()).toEqual([{ iid: 1, closes: true, closed: false }]);
    const refreshed = { imported: true, issueReferences: naming('Closes #2, see #3') };
    for (let round = 0; round < 2; round += 1) await event(refreshed, 'closed');
    await event({ imported: true });
    expect(await links()).toEqual([
      { iid: 2, closes: true, closed: false },
      { iid: 3, closes: false, closed: false },
    ]);
    const count = async (text: string) =>
      (await countStatements(() => event({ issueReferences: naming(text) }))).statements;
    expect(await count(Array.from({ length: 99 }, (_, at) => `#${at + 1}`).join(' '))).toBe(await count('Closes #2'));
    expect([await db.query(sql`select 1 from events.outbox`), await closed()]).toEqual([[], []]);
    await event(
      { actorId: merger.id, fact: { $case: 'merged', value: { mergeCommitSha: '', targetBranch: 'main' } } },
      'merged',
    );
    expect(await closed()).toEqual(['home#2']);
  });

  it('may be opened after they were named', async () => {
    await write('Closes #50');
    await db.query(sql`
      insert into issues (iid, project_id, author_id, title) values (50, ${home.id}, ${outsider.id}, 'Later')`);
    await merge(merger.id);
    expect(await closed()).toEqual(['home#50']);
  });

  it('are kept by number, named twice or not at all', async () => {
    await write('closes #1, closes team/home#1, #1; nothing/here#5 and code `#2`');
    const rows = await db.query(sql`select project_id, iid, closes from issue_merge_requests`);
    expect(rows).toEqual([{ project_id: home.id, iid: 1, closes: true }]);
  });
});

describe('issues that commits on the default branch close', () => {
  const close = closeIssuesOfPush({
    links: issueLinks,
    directory: issueDirectoryWithin,
    changeIssue,
    clock: () => new Date(),
  });
  const push = (actorId: number, text = all) =>
    db.transaction((tx) =>
      close(tx, { projectId: home.id, actorId, closes: issueReferences([text], externalUrl).closing }),
    );

  it.each<[string, () => number, string[]]>([
    ['an outsider', () => outsider.id, []],
    ['who may edit the issues of one project', () => merger.id, ['home#1']],
    ['who may edit those of a group', () => planner.id, ['home#1', 'beside#1', 'vault#1']],
    ['who was blocked', () => blocked.id, []],
    ['the service itself', () => 0, []],
  ])('by a push of %s', async (_, actor, issues) => {
    await push(actor());
    expect(await closed()).toEqual(issues);
  });

  it('once, and with one event each', async () => {
    await push(merger.id, 'Closes #1, #3');
    await push(merger.id, 'Closes #1, #3, #99');
    expect(await closed()).toEqual(['home#1', 'home#3']);
    expect(await db.query(sql`select 1 from events.outbox where event_id like 'issue.closed:%'`)).toHaveLength(2);
  });

  it('stay open where issues are off', async () => {
    await db.query(sql`update directory.projects set issues_enabled = false where id = ${home.id}`);
    await push(admin.id, 'Closes #1');
    expect(await closed()).toEqual([]);
    await db.query(sql`update directory.projects set issues_enabled = true where id = ${home.id}`);
  });
});
