import { join } from 'node:path';
import { readRecords } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { landingVerifier } from '../../src/merge-trains/application/verify-landings';
import { landingReceiptStore } from '../../src/merge-trains/storage/landing-receipt.store';
import { records } from '../../src/project-records/records';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, newProject, open, status } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const { maintainer } = people;

const lines = (first: string, last: string) =>
  `${[first, ...Array.from({ length: 20 }, (_, line) => `line ${line}`), last].join('\n')}\n`;

async function update(project: TestProject, branch: string, file_path: string, content: string): Promise<void> {
  const actions = [{ action: 'update', file_path, content }];
  const reply = await api(maintainer, 'POST', at(project, '/repository/commits'), {
    branch,
    commit_message: `Change ${file_path}\n\nFor ${branch}.`,
    actions,
  });
  expect(reply.status).toBe(201);
}

/** Merge request `iid` of two commits, one of them in a file that others change as well. */
async function ready(project: TestProject, iid: number, shared: string, squash: boolean): Promise<void> {
  const branch = `b${iid}`;
  await commit(project, branch, { [`${branch}.txt`]: `${branch}\n` }, { start: 'main' });
  await update(project, branch, 'shared.txt', shared);
  const { sha } = await open(project, branch, { squash });
  await status(project, sha, { state: 'success', ref: branch });
  await checked(project, iid);
}

const merged = (project: TestProject, iid: number) =>
  eventually(async () => expect((await api(maintainer, 'GET', mr(project, iid))).body.state).toBe('merged'));

/** Reports success on every car that waits, until none is left. */
const pass = (project: TestProject) =>
  eventually(async () => {
    const { body: waiting } = await api(
      maintainer,
      'GET',
      at(project, '/pipelines?source=merge_request_event&status=pending'),
    );
    for (const { id, sha } of waiting as Body[]) {
      await status(project, sha, { state: 'success', name: 'ci', pipeline_id: id }, maintainer);
    }
    expect((await api(maintainer, 'GET', at(project, '/merge_trains?scope=active'))).body).toEqual([]);
  });

async function verdicts(): Promise<{ iid: number; differences: readonly string[]; findings: readonly string[] }[]> {
  const root = join(harness.data, 'repositories');
  const verifier = landingVerifier({
    receipts: landingReceiptStore(harness.db),
    repositoryOf: async (projectId) => openRepository(root, projectId),
    clock: () => new Date(),
  });
  const found = [];
  for await (const { receipt, differences, findings } of verifier.verify('unverified')) {
    found.push({ iid: receipt.mergeRequestIid, differences, findings });
  }
  return found;
}

const methods = ['merge', 'ff', 'rebase_merge'] as const;

test.each(methods.flatMap((method) => [false, true].map((squash) => [method, squash] as const)))(
  'what the service lands by %s, squash %s, on a train or past it, the verifier finds as recorded',
  async (merge_method, squash) => {
    const project = await newProject({
      merge_method,
      merge_trains_enabled: true,
      merge_trains_skip_train_allowed: true,
    });
    await commit(project, 'main', { 'shared.txt': lines('first', 'last') });
    await ready(project, 1, lines('FIRST', 'last'), squash);
    await ready(project, 2, lines('first', 'LAST'), squash);
    await commit(project, 'main', { 'elsewhere.txt': 'main goes on\n' });
    for (const iid of [1, 2]) {
      expect((await api(maintainer, 'POST', at(project, `/merge_trains/merge_requests/${iid}`), {})).status).toBe(201);
    }
    await pass(project);
    await merged(project, 1);
    await merged(project, 2);
    await ready(project, 3, lines('FIRST', 'LAST and more'), squash);
    expect((await api(maintainer, 'PUT', mr(project, 3, '/merge'), { skip_merge_train: true })).status).toBe(200);

    expect(await verdicts()).toEqual([1, 2, 3].map((iid) => ({ iid, differences: [], findings: [] })));
    const receipts = await harness.db.query(sql`
      select squash_commit_sha is not null as squashed, merge_commit_sha is not null as merged, tested_sha = landed_sha as tested
      from landing_receipts where project_id = ${project.id} order by id`);
    const shape = { squashed: squash, merged: merge_method !== 'ff' };
    expect(receipts).toEqual([
      { ...shape, tested: true },
      { ...shape, tested: true },
      { ...shape, tested: null },
    ]);
    const { lines: exported } = await readRecords(harness.db, records.landing_receipts!(project.id), 0);
    const rows = await harness.db.query<Body>(
      sql`select * from landing_receipts where project_id = ${project.id} order by id`,
    );
    // As they go into an export: all but ids, which mean nothing elsewhere, and whether they were imported, as all are there.
    const staysHere = (name: string) => /(^|_)id$/.test(name) || name === 'imported';
    expect(
      exported
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(
      rows.map((row) => ({
        ...Object.fromEntries(Object.entries(row).filter(([name]) => !staysHere(name))),
        ...Object.fromEntries(
          Object.entries(row).flatMap(([name, value]) =>
            value instanceof Date ? [[name, expect.stringContaining(value.toISOString().slice(0, 19))]] : [],
          ),
        ),
        added_by: expect.any(String),
      })),
    );
  },
);
