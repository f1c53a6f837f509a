import { type Database, openDatabase, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type Directory, startDirectory, type Viewer } from '@switchyard/directory';
import { decodeBody, issueEvents } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { DirectoryModel } from '@switchyard/testkit/installation';
import type { IssueList, IssueStore } from '../../src/issues/application/issue.ports';
import type { NewIssue } from '../../src/issues/domain/issue-change';
import type { IssueFilter } from '../../src/issues/domain/issue-filter';
import type { IssueScope } from '../../src/issues/domain/issue-query';
import { issueList } from '../../src/issues/storage/issue.list';
import { issueStore } from '../../src/issues/storage/issue.store';
import { service } from '../../src/service';

/** What a test of issues works with once its database runs. */
interface StartedIssues {
  readonly db: Database;
  readonly directory: Directory;
  readonly issues: IssueStore;
  readonly lists: IssueList;
  readonly bug: { readonly id: number };
  readonly feature: { readonly id: number };
}

/**
 * Issues on a database of their own, with a public, a private and an issueless project, and people of several levels.
 */
export function issueHarness() {
  const model = new DirectoryModel();
  model.user({ username: 'ghost', bot: true });
  const group = model.namespace();
  const open = model.project(group.id, { visibility: 'public' });
  const closedOff = model.project(group.id, { visibility: 'private' });
  const off = model.project(group.id, { visibility: 'public', settings: { issuesEnabled: false } as never });
  const [author, assignee, guest, planner, outsider] = [
    model.user({ username: 'author' }),
    model.user({ username: 'assignee' }),
    model.user({ username: 'guest' }),
    model.user({ username: 'planner' }),
    model.user({ username: 'outsider' }),
  ];
  const root = model.user({ username: 'root', admin: true });
  // The model's snapshot has no labels: they come as changes, after it.
  const label = (title: string, priority?: number, id = model.id()) => {
    const value = { id, projectId: open.id, namespaceId: 0, title, color: '#ff0000', description: '', priority };
    model.write({ $case: 'label', value });
    return value;
  };
  model.member(guest.id, { namespaceId: group.id }, 10);
  model.member(planner.id, { namespaceId: group.id }, 15);

  const asViewer = (user?: { id: number; admin?: boolean; external?: boolean }): Viewer => ({
    userId: user?.id ?? 0,
    admin: user?.admin ?? false,
    external: user?.external ?? false,
  });

  let started: StartedIssues;
  let close = async (): Promise<void> => undefined;

  async function start(): Promise<StartedIssues> {
    const database: TestDatabase = await testDatabase({ sets: service.migrationSets });
    const db = openDatabase({ url: database.url, applicationName: 'issue test' });
    const directory = await startDirectory({ db, client: model.client, pollMs: 100, log: logger });
    await eventually(() => expect(directory.ready()).toBe(true));
    close = async () => {
      await directory.close();
      await db.close();
      await database.close();
    };
    started = {
      db,
      directory,
      issues: issueStore(db),
      lists: issueList(db),
      bug: label('bug'),
      feature: label('feature'),
    };
    return started;
  }

  /** Empties the tables, once the directory knows the model. */
  async function clear(): Promise<void> {
    await eventually(() => started.directory.ensure(model.changes.length));
    await started.db.query(
      sql`truncate issues, iid_counters, award_emoji, issue_merge_requests, events.outbox cascade`,
    );
  }

  const make = (given: Partial<NewIssue> = {}) =>
    started.issues.create({
      projectId: open.id,
      authorId: author.id,
      title: 'Issue',
      description: undefined,
      issueType: 'issue',
      confidential: false,
      milestoneId: undefined,
      dueDate: undefined,
      weight: undefined,
      taskCount: 0,
      completedTaskCount: 0,
      assigneeIds: [],
      labelIds: [],
      mentions: { usernames: [], directlyAddressed: [] },
      ...given,
    });

  const request = (given: Partial<PageRequest> = {}): PageRequest => ({
    mode: 'offset',
    page: 1,
    perPage: 100,
    orderBy: 'created_at',
    sort: 'asc',
    ...given,
  });
  const titles = async (filter: IssueFilter, viewer = asViewer(root), scope: IssueScope = 'all') =>
    (await started.lists.page({ scope, filter, viewer }, request())).rows.map(({ issue }) => issue.title);

  const published = async () => {
    const rows = await started.db.query<{ event_id: string; body: unknown }>(
      sql`select event_id, body from events.outbox order by id`,
    );
    return rows.map(({ event_id, body }) => ({ id: event_id, event: decodeBody(issueEvents, JSON.stringify(body)) }));
  };

  return {
    ...{ model, group, open, closedOff, off, author, assignee, guest, planner, outsider, root, label, asViewer },
    ...{ start, stop: () => close(), clear, make, request, titles, published },
  };
}
