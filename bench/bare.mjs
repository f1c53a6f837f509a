import { createRequire } from 'node:module';
import express from 'express';
import pg from 'pg';

// The least a Node process can do for this reply: Express, a pool of connections, the same statements, the same bytes.
// Statements and presenter are the service's own, so that nothing differs but what is around them.
const require = createRequire(import.meta.url);
const service = (name) => `../services/${name}/dist`;
const { DATABASE_URL, PROJECT_ID, EXTERNAL_URL, PORT, KIND, PAGING, PER_PAGE, CURSOR } = process.env;
/** What a kind needs in addition to the project. */
const given = JSON.parse(process.env.GIVEN || '{}');

const int8 = 20;
const int8Array = 1016;
const textArray = pg.types.getTypeParser(1009);
pg.types.setTypeParser(int8, Number);
pg.types.setTypeParser(int8Array, (text) => textArray(text).map(Number));

/** An executor with a known result: rows for the page, nothing for the count. */
const already = (rows) => ({ query: async ({ text }) => (/count\(\*\)/.test(text) ? [] : rows) });

const request = { mode: PAGING, page: 1, perPage: Number(PER_PAGE), cursor: CURSOR || undefined, sort: 'desc' };

/**
 * What there is to list: the service's list through an executor, and how its rows are shown. `more` is read once the rows are there, each
 * from the database of its own, and shown with them. A list that makes its rows itself is given those that were read.
 */
const kinds = {
  merge_requests() {
    const { listMergeRequests } = require(`${service('merge-requests')}/merge-requests/storage/merge-request.list.js`);
    const { toView } = require(`${service('merge-requests')}/merge-requests/storage/merge-request.row.js`);
    const { presentMergeRequest } = require(
      `${service('merge-requests')}/merge-requests/presenters/merge-request.presenter.js`,
    );
    const how = { externalUrl: EXTERNAL_URL, context: 'project', tier: 'ultimate' };
    return {
      read: (executor) =>
        listMergeRequests(executor, {
          scope: { projectId: Number(PROJECT_ID) },
          filter: {},
          viewer: { userId: 1, admin: false, external: false },
          request: { ...request, orderBy: 'created_at' },
        }),
      show: (rows) => rows.map((row) => presentMergeRequest(toView(row), { ...how, now: new Date() })),
    };
  },
  notes() {
    const { noteList, noteRow } = require(`${service('collaboration')}/notes/storage/note.list.js`);
    const { presentNote } = require(`${service('collaboration')}/notes/presenters/note.presenter.js`);
    const wanted = { filter: 'all_notes', internal: true, viewer: given.viewer };
    return {
      read: (executor) => noteList(executor).page(given.noteable, wanted, { ...request, orderBy: 'created_at' }),
      show: (rows) => rows.map((row) => presentNote(noteRow(row), given.noteable, EXTERNAL_URL)),
    };
  },
  events() {
    const { activityList } = require(`${service('collaboration')}/activity/storage/activity.list.js`);
    const { presentActivity } = require(`${service('collaboration')}/activity/presenters/activity.presenter.js`);
    const list = (executor) =>
      activityList(executor).page(
        given.viewer,
        { projectId: Number(PROJECT_ID) },
        {},
        { ...request, orderBy: 'created_at' },
      );
    return {
      read: list,
      show: async (rows) => {
        const { rows: events } = await list(already(rows));
        return events.map((event) => presentActivity(event, EXTERNAL_URL, true));
      },
    };
  },
  todos() {
    const { todoList } = require(`${service('collaboration')}/todos/storage/todo.list.js`);
    const { todoRows } = require(`${service('collaboration')}/todos/presenters/todo.presenter.js`);
    const { issueStore } = require(`${service('collaboration')}/issues/storage/issue.store.js`);
    const { toIssueView } = require(`${service('collaboration')}/issues/storage/issue.row.js`);
    const { issueUrl, presentIssue } = require(`${service('collaboration')}/issues/presenters/issue.presenter.js`);
    const { mergeRequestReads } = require(`${service('merge-requests')}/merge-requests/storage/merge-request.reads.js`);
    const { toView } = require(`${service('merge-requests')}/merge-requests/storage/merge-request.row.js`);
    const mergeRequests = require(`${service('merge-requests')}/merge-requests/presenters/merge-request.presenter.js`);
    const list = (executor) =>
      todoList(executor).page(given.viewer, { state: 'pending' }, { ...request, orderBy: 'id' });
    const how = { externalUrl: EXTERNAL_URL, context: 'instance' };
    const target = (one, title, webUrl) => ({ json: Buffer.from(JSON.stringify(one)), title, webUrl });
    return {
      read: list,
      more: [
        { read: (executor) => issueStore(executor).viewsByIds(given.issueIds, given.viewer) },
        {
          databaseUrl: given.mergeRequestsUrl,
          read: (executor) => mergeRequestReads(executor).viewsByIds(given.mergeRequestIds, given.viewer),
        },
      ],
      show: async (rows, issues, others) => {
        const { rows: todos } = await list(already(rows));
        const now = new Date();
        const targets = new Map();
        for (const view of issues.map(toIssueView)) {
          const shown = presentIssue(view, { ...how, now });
          targets.set(`Issue ${view.issue.id}`, target(shown, view.issue.title, issueUrl(view, EXTERNAL_URL)));
        }
        for (const view of others.map(toView)) {
          const shown = mergeRequests.presentMergeRequest(view, { ...how, now });
          const { id, title } = view.mergeRequest;
          targets.set(`MergeRequest ${id}`, target(shown, title, mergeRequests.mergeRequestUrl(view, EXTERNAL_URL)));
        }
        const items = todos.map((todo) => ({ todo, target: targets.get(`${todo.targetType} ${todo.targetId}`) }));
        return Buffer.from(`[${[...todoRows(items, EXTERNAL_URL)].join()}]`);
      },
    };
  },
  alerts() {
    const { alertList } = require(`${service('alerts')}/alerts/storage/alert.list.js`);
    const { toAlertView } = require(`${service('alerts')}/alerts/storage/alert.row.js`);
    const { presentAlert } = require(`${service('alerts')}/alerts/presenters/alert.presenter.js`);
    const query = { projectId: Number(PROJECT_ID), filter: {}, viewer: given.viewer };
    return {
      read: (executor) => alertList(executor).page(query, { ...request, orderBy: 'created_at' }),
      show: (rows) => rows.map((row) => presentAlert(toAlertView(row), EXTERNAL_URL)),
    };
  },
  changes() {
    const { changeList } = require(`${service('groups-admin')}/changes/storage/change.list.js`);
    const { targetRights } = require(`${service('groups-admin')}/directory/storage/target-rights.store.js`);
    const { presentChanges } = require(`${service('groups-admin')}/changes/presenters/change.presenter.js`);
    const scope = { kind: 'project', id: Number(PROJECT_ID) };
    return {
      read: (executor) => changeList(executor).stretch(scope, given.after, 2 * Number(PER_PAGE)),
      more: [
        { read: (executor) => targetRights(executor)(given.viewer, { projects: [scope.id], groups: [] }) },
        { read: (executor) => changeList(executor).bodies(given.positions) },
      ],
      show: (_rows, ...others) => {
        const changes = others.at(-1);
        return presentChanges({ changes, cursor: changes.at(-1).position, more: true });
      },
    };
  },
  groups() {
    const { listGroups } = require(`${service('groups-admin')}/groups/storage/group.list.js`);
    const { presentGroupItem } = require(`${service('groups-admin')}/groups/presenters/group.presenter.js`);
    const filter = { allAvailable: false };
    return {
      read: (executor) => listGroups(executor, given.viewer, filter, { ...request, sort: 'asc', orderBy: 'name' }),
      show: (rows) => rows.map((row) => presentGroupItem(row, { externalUrl: EXTERNAL_URL, tier: 'ultimate' })),
    };
  },
  epics() {
    const { epicList } = require(`${service('collaboration')}/epics/storage/epic.list.js`);
    const { toEpicView } = require(`${service('collaboration')}/epics/storage/epic.row.js`);
    const { presentEpic } = require(`${service('collaboration')}/epics/presenters/epic.presenter.js`);
    const scope = { groupId: given.groupId, above: false, below: true };
    return {
      read: (executor) =>
        epicList(executor).page({ scope, filter: {}, viewer: given.viewer }, { ...request, orderBy: 'created_at' }),
      show: (rows) =>
        rows.map((row) => presentEpic(toEpicView(row), { externalUrl: EXTERNAL_URL, groupId: given.groupId })),
    };
  },
  packages() {
    const { packageList } = require(`${service('packages')}/packages/storage/package.list.js`);
    const { listedStatuses } = require(`${service('packages')}/packages/domain/package.js`);
    const { toPackage } = require(`${service('packages')}/packages/storage/package.rows.js`);
    const { presentPackage } = require(`${service('packages')}/packages/presenters/package.presenter.js`);
    const { pipelineLists } = require(`${service('merge-requests')}/pipelines/storage/pipeline.list.js`);
    const { toPipelineView } = require(`${service('merge-requests')}/pipelines/storage/pipeline.row.js`);
    const { presentPackagePipeline } = require(
      `${service('merge-requests')}/pipelines/presenters/pipeline.presenter.js`,
    );
    const { codeReaders } = require(`${service('merge-requests')}/repositories/storage/code-readers.js`);
    const filter = { statuses: listedStatuses, includeVersionless: false };
    const ofMergeRequests = { databaseUrl: given.mergeRequestsUrl };
    return {
      read: (executor) =>
        packageList(executor).pageOfProject(Number(PROJECT_ID), filter, { ...request, orderBy: 'created_at' }),
      more: [
        { ...ofMergeRequests, read: (executor) => pipelineLists(executor).byIds(given.pipelineIds) },
        { ...ofMergeRequests, read: (executor) => codeReaders(executor)(given.viewer, [Number(PROJECT_ID)]) },
      ],
      show: (rows, pipelines, [{ fullPath }]) => {
        const shown = pipelines.map((row) =>
          presentPackagePipeline(toPipelineView(row), { externalUrl: EXTERNAL_URL, fullPath }),
        );
        const reader = {
          externalUrl: EXTERNAL_URL,
          mayDelete: true,
          pipelines: new Map(shown.map((one) => [one.id, one])),
        };
        return rows.map((row) => presentPackage(toPackage(row), reader));
      },
    };
  },
  merge_trains() {
    const { listMergeTrainEntries } = require(`${service('merge-requests')}/merge-trains/storage/merge-train.list.js`);
    const { presentMergeTrainEntry } = require(
      `${service('merge-requests')}/merge-trains/presenters/merge-train.presenter.js`,
    );
    const list = (executor) => listMergeTrainEntries(executor, Number(PROJECT_ID), {}, { ...request, orderBy: 'id' });
    return {
      read: list,
      show: async (rows) => {
        const { rows: entries } = await list(already(rows));
        return entries.map((entry) => presentMergeTrainEntry(entry, EXTERNAL_URL));
      },
    };
  },
  issues() {
    const { issueList } = require(`${service('collaboration')}/issues/storage/issue.list.js`);
    const { toIssueView } = require(`${service('collaboration')}/issues/storage/issue.row.js`);
    const { presentIssue } = require(`${service('collaboration')}/issues/presenters/issue.presenter.js`);
    const how = { externalUrl: EXTERNAL_URL, context: 'project', tier: 'ultimate' };
    const query = {
      scope: { projectId: Number(PROJECT_ID), level: 30 },
      filter: {},
      viewer: { userId: 1, admin: false, external: false },
    };
    return {
      read: (executor) => issueList(executor).page(query, { ...request, orderBy: 'created_at' }),
      show: (rows) => rows.map((row) => presentIssue(toIssueView(row), { ...how, now: new Date() })),
    };
  },
};
const { read, more = [], show } = kinds[KIND]();

let names = 0;

/** The statements of one request, as the service writes them. */
async function statementsOf(reading) {
  const seen = [];
  await reading({
    async query({ text, values }) {
      seen.push({ text, values });
      return [];
    },
  });
  return seen.map((statement) => ({ ...statement, name: `bare_${names++}` }));
}

const poolOf = (connectionString) =>
  new pg.Pool({
    connectionString,
    application_name: 'switchyard-bench-bare',
    max: 20,
    options: '-c timezone=UTC -c datestyle=ISO',
  });
const pool = poolOf(DATABASE_URL);
const statements = await statementsOf(read);
const further = [];
for (const { databaseUrl, read: reading } of more) {
  const from = databaseUrl === undefined ? pool : poolOf(databaseUrl);
  for (const statement of await statementsOf(reading)) further.push(() => from.query(statement));
}
const app = express();
app.get('/', async (_request, response) => {
  const [{ rows }] = await Promise.all(statements.map((statement) => pool.query(statement)));
  const others = await Promise.all(further.map((ask) => ask()));
  const page = await show(rows.slice(0, Number(PER_PAGE)), ...others.map((result) => result.rows));
  response.type('application/json').send(Buffer.isBuffer(page) ? page : JSON.stringify(page));
});
app.listen(Number(PORT), '127.0.0.1', () => process.send?.('listening'));
