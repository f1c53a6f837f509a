import { createRequire } from 'node:module';
import express from 'express';
import pg from 'pg';

// The least a Node process can do for this reply: Express, a pool of connections, the same statements, the same bytes.
// Statements and presenter are the service's own, so that nothing differs but what stands around them.
const require = createRequire(import.meta.url);
const service = '../services/merge-requests/dist';
const { listMergeRequests } = require(`${service}/storage/merge-request.list.js`);
const { toView } = require(`${service}/storage/merge-request.row.js`);
const { presentMergeRequest } = require(`${service}/presenters/merge-request.presenter.js`);
const { DATABASE_URL, PROJECT_ID, EXTERNAL_URL, PORT, PAGING, PER_PAGE, CURSOR } = process.env;

const int8 = 20;
const int8Array = 1016;
const textArray = pg.types.getTypeParser(1009);
pg.types.setTypeParser(int8, Number);
pg.types.setTypeParser(int8Array, (text) => textArray(text).map(Number));

/** The statements of one request, as the service writes them. */
async function statementsOfOneRequest() {
  const seen = [];
  const executor = {
    async query({ text, values }) {
      seen.push({ text, values });
      return [];
    },
  };
  await listMergeRequests(executor, {
    scope: { projectId: Number(PROJECT_ID) },
    filter: {},
    viewer: { userId: 1, admin: false, external: false },
    request: {
      mode: PAGING,
      page: 1,
      perPage: Number(PER_PAGE),
      cursor: CURSOR || undefined,
      orderBy: 'created_at',
      sort: 'desc',
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
app.get('/merge_requests', async (_request, response) => {
  const [{ rows }] = await Promise.all(statements.map((statement) => pool.query(statement)));
  const how = {
    externalUrl: EXTERNAL_URL,
    context: 'project',
    now: new Date(),
    withLabelsDetails: false,
    tier: 'ultimate',
  };
  const page = rows.slice(0, Number(PER_PAGE)).map((row) => presentMergeRequest(toView(row), how));
  response.type('application/json').send(JSON.stringify(page));
});
app.listen(Number(PORT), '127.0.0.1', () => process.send?.('listening'));
