import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { enqueueJobs } from '../../src/jobs';
import { storesOn } from '../support/areas';
import { trainGround } from './train-ground';

const ground = trainGround();

/** Someone waits for a lock. */
const blocked = () =>
  eventually(async () =>
    expect(
      await ground.rows(sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    ).toHaveLength(1),
  );

const job = { kind: 'mergeability', projectId: 1 } as const;

/** Two merge requests, the second on a train. */
async function scene() {
  const train = await ground.train();
  const [one, two] = [await ground.car(train, new Date()), await ground.car(train, new Date())];
  await ground.db.query(sql`delete from merge_train_cars where id = ${one.id}`);
  await ground.db.query(
    sql`update merge_requests set auto_merge_strategy = 'merge_train' where id = ${two.mergeRequestId}`,
  );
  await enqueueJobs(ground.db, [job]);
  const changes = [
    { id: one.mergeRequestId, actorId: 3, decide: () => ({ patch: { title: 'Another' }, jobs: [job] }) },
    {
      id: two.mergeRequestId,
      actorId: 3,
      decide: () => ({ signal: { kind: 'removed', carId: two.id, reason: 'closed' } as const }),
    },
  ];
  return { train, two, changes };
}

test.each(['changeAll', 'changeTogether'] as const)(
  '%s queues its jobs when nothing else is locked any more (ADR 24)',
  async (way) => {
    const { train, changes } = await scene();
    const { mergeRequests } = storesOn(ground.db);
    let changing: Promise<unknown> | undefined;
    await ground.db.transaction(
      async (tx) => {
        await tx.query(sql`select 1 from merge_trains where id = ${train.id} for update`);
        changing =
          way === 'changeAll'
            ? mergeRequests.changeAll(changes)
            : mergeRequests.changeTogether(changes.map((one) => ({ ...one, within: (save) => save() })));
        await blocked();
        // The change waits for the train, so it must not hold what a holder of the train's lock asks for.
        await tx.query(sql`select 1 from jobs where kind = 'mergeability' for update nowait`);
      },
      { retries: 0 },
    );
    expect(await changing).toHaveLength(2);
    const kinds = await ground.rows<{ kind: string }>(sql`select distinct kind from jobs order by kind`);
    expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['merge_train', 'mergeability']));
  },
);

test('a pipeline is deleted under the lock of its train (ADR 24)', async () => {
  const { train, two } = await scene();
  const pipeline = await ground.db.one<{ id: number }>(sql`
    insert into pipelines (iid, project_id, sha, ref, tag, source, status, user_id)
    values (${two.iid}, 1, ${two.sha}, ${`refs/merge-requests/${two.iid}/train`}, false, 'merge_request_event', 'pending', 3)
    returning id`);
  const { id } = pipeline as { id: number };
  await ground.db.query(sql`update merge_train_cars set pipeline_id = ${id} where id = ${two.id}`);
  await ground.db.query(sql`delete from jobs`);
  const { pipelines } = storesOn(ground.db);
  let removing: Promise<void> | undefined;
  await ground.db.transaction(
    async (tx) => {
      await tx.query(sql`select 1 from merge_trains where id = ${train.id} for update`);
      await tx.query(sql`update merge_train_cars set rank = 5 where id = ${two.id}`);
      removing = pipelines.remove(1, id);
      await blocked();
      await tx.query(sql`select 1 from pipelines where id = ${id} for update nowait`);
      await enqueueJobs(tx, [{ kind: 'merge_train', trainId: train.id }]);
    },
    { retries: 0 },
  );
  await removing;
  expect(await ground.rows(sql`select pipeline_id as id, rank from merge_train_cars where id = ${two.id}`)).toEqual([
    { id: null, rank: 5 },
  ]);
  expect(await ground.rows(sql`select generation::int from jobs where kind = 'merge_train'`)).toHaveLength(1);
});
