import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { enqueueJobs } from '../../src/jobs';
import { storesOn } from '../support/areas';
import type { Fault } from './faulty-database';
import { prepareSceneGround } from './scene-ground';
import { TrainScene } from './train-scene';

jest.setTimeout(600_000);

let ground: Awaited<ReturnType<typeof prepareSceneGround>>;

beforeAll(async () => {
  ground = await prepareSceneGround();
});
afterAll(() => ground?.close());

/** A train of three that are tested together, and whose branches go with them; all is green. */
async function greenBatch(): Promise<{ scene: TrainScene; projectId: number }> {
  const projectId = ground.nextProject();
  const scene = await TrainScene.make(ground.db, ground.data, projectId, {
    method: 'merge',
    required: ['unit'],
    parallel: 1,
    retries: 1,
    batchSize: 4,
    count: 0,
    squash: false,
    requests: 3,
    verified: true,
  });
  await ground.db.query(
    sql`update merge_requests set force_remove_source_branch = true where project_id = ${projectId}`,
  );
  for (const at of [0, 1, 2]) await scene.board(at, false);
  await scene.work({ kind: 'none' });
  await scene.passAll();
  return { scene, projectId };
}

/** How the three landed. */
const landings = (projectId: number) =>
  ground.db.query<{ iid: number; batch: number[]; landed: string; tested: string }>(sql`
    select merge_request_iid as iid, batch_iids as batch, landed_sha as landed, tested_sha as tested from landing_receipts
    where project_id = ${projectId} order by id`);

async function expectWhole({ scene, projectId }: Awaited<ReturnType<typeof greenBatch>>): Promise<void> {
  await scene.check();
  await scene.finally();
  const landed = await landings(projectId);
  expect(landed.map(({ iid, batch }) => ({ iid, batch }))).toEqual([1, 2, 3].map((iid) => ({ iid, batch: [1, 2, 3] })));
  expect(new Set(landed.map(({ tested }) => tested))).toEqual(new Set([landed[2]?.landed]));
  const [moves] = await ground.db.query<{ moves: number }>(sql`
    select count(distinct new_sha)::int as moves from ref_change_intents
    where project_id = ${projectId} and ref = 'refs/heads/next' and source = 'merge' and state = 'done'`);
  expect(moves).toEqual({ moves: 1 });
  expect(scene.sources()).toEqual([]);
  expect(await ground.db.query(sql`select 1 from merge_request_merges where project_id = ${projectId}`)).toEqual([]);
}

test('a batch lands by one move, each with its receipt, and its branches go (D8)', async () => {
  const batch = await greenBatch();
  await batch.scene.work({ kind: 'none' });
  await expectWhole(batch);
});

const faults: Fault[] = [
  ...Array.from({ length: 8 }, (_, at) => ({ kind: 'crashes committed', at: at + 1 }) as const),
  ...Array.from({ length: 8 }, (_, at) => ({ kind: 'crashes', at: 12 * at + 5 }) as const),
];

test.each(faults.map((fault) => [fault.kind, 'at' in fault ? fault.at : 0, fault] as const))(
  'a process that %s at %d leaves a batch that has landed whole, or lands whole later (D7, D8)',
  async (_kind, _at, fault) => {
    const batch = await greenBatch();
    await batch.scene.work(fault);
    await expectWhole(batch);
  },
);

test.each([1, 2, 3, 4, 5, 6])(
  'a landing that a process left at commit %d, resumed before its move is decided, is published once (D7)',
  async (at) => {
    const batch = await greenBatch();
    await batch.scene.work({ kind: 'crashes committed', at });
    const left = await ground.db.query<{ id: number }>(sql`
      select merge_request_id as id from merge_request_merges where project_id = ${batch.projectId} limit 1`);
    await enqueueJobs(
      ground.db,
      left.map(({ id }) => ({ kind: 'settle_merge', mergeRequestId: id }) as const),
    );
    await batch.scene.work({ kind: 'none' });
    await expectWhole(batch);
    const [published] = await ground.db.query(sql`
      select count(*)::int as moves from events.outbox where type = 'repository.pushed'
        and body::jsonb ->> 'projectId' = ${String(batch.projectId)} and body::jsonb ->> 'ref' = 'refs/heads/next'`);
    expect(published).toEqual({ moves: 1 });
  },
);

test('a failure whose report is under way when the landing begins is judged: nothing lands by it (D8)', async () => {
  const { scene, projectId } = await greenBatch();
  const [pipeline] = await ground.db.query<{ id: number; trainId: number }>(sql`
    select distinct pipeline_id as id, train_id as "trainId" from merge_train_cars where project_id = ${projectId} and status = 'fresh'`);
  let working: Promise<void> | undefined;
  await ground.db.transaction(
    async (tx) => {
      // As a report does: the pipeline, the status, the pipeline's own status, the job.
      await tx.query(sql`select 1 from pipelines where id = ${pipeline?.id} for no key update`);
      await tx.query(sql`update commit_statuses set status = 'failed' where pipeline_id = ${pipeline?.id}`);
      working = scene.work({ kind: 'none' });
      await eventually(async () =>
        expect(
          await ground.db.query(sql`
            select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
        ).toHaveLength(1),
      );
      await tx.query(sql`
        update pipelines set status = 'failed', finished_at = now(), lock_version = lock_version + 1 where id = ${pipeline?.id}`);
      await enqueueJobs(tx, [{ kind: 'merge_train', trainId: pipeline?.trainId ?? 0 }]);
    },
    { retries: 0 },
  );
  await working;
  expect(await landings(projectId)).toEqual([]);
  expect(await ground.db.query(sql`select 1 from merge_request_merges where project_id = ${projectId}`)).toEqual([]);
  // They are tested again.
  const again = await ground.db.query(sql`
    select 1 from pipelines where project_id = ${projectId} and id > ${pipeline?.id} and ref like 'refs/merge-requests/%'`);
  expect(again.length).toBeGreaterThan(0);
});

test('of changes that are made together none is made when one is void (D8)', async () => {
  const { projectId } = await greenBatch();
  const rows = () =>
    ground.db.query<{ id: number; title: string }>(sql`
      select id, title from merge_requests where project_id = ${projectId} order by id`);
  const before = await rows();
  const { mergeRequests } = storesOn(ground.db);
  const retitled = (id: number) => ({ id, actorId: 2, decide: () => ({ patch: { title: 'Another' } }) });
  const [one, two] = before.map(({ id }) => retitled(id)) as [ReturnType<typeof retitled>, ReturnType<typeof retitled>];
  expect(await mergeRequests.changeAll([one, { ...two, decide: () => undefined }])).toBeUndefined();
  expect(await rows()).toEqual(before);
  const failing = mergeRequests.changeAll([two, one], { also: () => Promise.reject(new Error('no')) });
  await expect(failing).rejects.toThrow('no');
  expect(await rows()).toEqual(before);
  expect(await mergeRequests.changeAll([two, one])).toMatchObject([{ id: two.id }, { id: one.id }]);
  expect((await rows()).map(({ title }) => title)).toEqual(['Another', 'Another', before[2]?.title]);
});
