import { createRequire } from 'node:module';
import express from 'express';
import pg from 'pg';

// The least a Node process can do for this reply: Express, a pool of connections, the same statements, the same bytes.
// Statements and presenter are the service's own, so that nothing differs but what stands around them.
const require = createRequire(import.meta.url);
const service = (name) => `../services/${name}/dist`;
const { DATABASE_URL, PROJECT_ID, EXTERNAL_URL, PORT, KIND, PAGING, PER_PAGE, CURSOR } = process.env;

const int8 = 20;
const int8Array = 1016;
const textArray = pg.types.getTypeParser(1009);
pg.types.setTypeParser(int8, Number);
pg.types.setTypeParser(int8Array, (text) => textArray(text).map(Number));

const request = { mode: PAGING, page: 1, perPage: Number(PER_PAGE), cursor: CURSOR || undefined, sort: 'desc' };

/** What there is to list: the service's list through an executor, and how a row is shown. */
const kinds = {
  merge_requests() {
    const { listMergeRequests } = require(`${service('merge-requests')}/storage/merge-request.list.js`);
    const { toView } = require(`${service('merge-requests')}/storage/merge-request.row.js`);
    const { presentMergeRequest } = require(`${service('merge-requests')}/presenters/merge-request.presenter.js`);
    const how = { externalUrl: EXTERNAL_URL, context: 'project', withLabelsDetails: false, tier: 'ultimate' };
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
  merge_trains() {
    const { listMergeTrainEntries } = require(`${service('merge-requests')}/storage/merge-train.list.js`);
    const { presentMergeTrainEntry } = require(`${service('merge-requests')}/presenters/merge-train.presenter.js`);
    const list = (executor) => listMergeTrainEntries(executor, Number(PROJECT_ID), {}, { ...request, orderBy: 'id' });
    return {
      read: list,
      // The list makes its entries itself: it is given the rows that were read.
      show: async (rows) => {
        const { rows: entries } = await list({ query: async ({ text }) => (/count\(\*\)/.test(text) ? [] : rows) });
        return entries.map((entry) => presentMergeTrainEntry(entry, EXTERNAL_URL));
      },
    };
  },
  issues() {
    const { issueList } = require(`${service('collaboration')}/storage/issue.list.js`);
    const { toIssueView } = require(`${service('collaboration')}/storage/issue.row.js`);
    const { presentIssue } = require(`${service('collaboration')}/presenters/issue.presenter.js`);
    const how = { externalUrl: EXTERNAL_URL, context: 'project', withLabelsDetails: false, tier: 'ultimate' };
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
const { read, show } = kinds[KIND]();

/** The statements of one request, as the service writes them. */
async function statementsOfOneRequest() {
  const seen = [];
  await read({
    async query({ text, values }) {
      seen.push({ text, values });
      return [];
    },
  });
  return seen.map((statement, at) => ({ ...statement, name: `bare_${at}` }));
}

const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  application_name: 'switchyard-bench-bare',
  max: 20,
  options: '-c timezone=UTC -c datestyle=ISO',
});
const statements = await statementsOfOneRequest();
const app = express();
app.get('/', async (_request, response) => {
  const [{ rows }] = await Promise.all(statements.map((statement) => pool.query(statement)));
  const page = await show(rows.slice(0, Number(PER_PAGE)));
  response.type('application/json').send(JSON.stringify(page));
});
app.listen(Number(PORT), '127.0.0.1', () => process.send?.('listening'));
