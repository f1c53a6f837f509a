import { eventually } from '@switchyard/testkit';
import type { Fixture, WorkingCopy } from './fixture';
import { gitOf } from './oracles';

/** A merge request on its way to a train. */
export interface Proposal {
  readonly id: number;
  readonly iid: number;
}

/** A project with a merge train, its users and an outside CI, on a system whose processes die: whatever fails is done again. */
export interface TrainHarness {
  /** A branch with a file of its own, pushed by `root`, with a merge request and a green pipeline. */
  propose(name: string): Promise<Proposal>;
  /** Puts it on the train, as the reviewer. */
  addToTrain(proposal: Proposal): Promise<void>;
  /** The outside CI passes what waits, and fails what `fails` says, until `done` holds. */
  runCi(done: () => Promise<void>, fails?: (iid: number) => boolean): Promise<void>;
  /** Holds once each of them has landed. */
  expectLanded(...proposals: readonly Proposal[]): Promise<void>;
  /** Holds once each of them has left, and is open. */
  expectLeft(...proposals: readonly Proposal[]): Promise<void>;
  /**
   * What must be so of a train that has come to rest with `left` off it: no car waits, what landed is what was tested, in the order of
   * addition, by receipts, pipelines and git alike; no ref and no running pipeline is left over; to-dos exist once for author and
   * the user who queued it.
   */
  expectSound(left: readonly Proposal[]): Promise<void>;
}

/** Switches the train of a fixture's project on. */
export async function makeTrainHarness(fixture: Fixture): Promise<TrainHarness> {
  const { system, projectId, reviewer, base } = fixture;
  const at = `/projects/${projectId}`;
  // Its CI reports one status a car: nothing is to be waited for that may follow it.
  await fixture.ok('PUT', at, {
    merge_pipelines_enabled: true,
    merge_trains_enabled: true,
    merge_train_settling_seconds: 0,
  });
  const work: WorkingCopy = await fixture.workingCopy('train');
  const lasting = { within: 90_000, every: 100 };

  const stateOf = async ({ iid }: Proposal): Promise<string> =>
    (await fixture.ok('GET', `${at}/merge_requests/${iid}`)).state;
  const entryOf = async ({ iid }: Proposal): Promise<string> => {
    const reply = await system.api('GET', `${at}/merge_trains/merge_requests/${iid}`);
    return reply.status === 200 ? reply.body.status : String(reply.status);
  };

  /** One look of the CI at what waits. What cannot be reported now is there at the next look. */
  async function look(fails: (iid: number) => boolean): Promise<void> {
    const list = `${at}/pipelines?source=merge_request_event&status=pending&order_by=id&sort=asc&per_page=100`;
    const { status, body } = await system.api('GET', list, { token: reviewer.token });
    if (status !== 200) return;
    for (const { id, sha, ref } of body as { id: number; sha: string; ref: string }[]) {
      const iid = Number(/^refs\/merge-requests\/(\d+)\/train$/.exec(ref)?.[1]);
      const state = fails(iid) ? 'failed' : 'success';
      await system.api('POST', `${at}/statuses/${sha}`, {
        token: reviewer.token,
        body: { state, name: 'ci', pipeline_id: id },
      });
    }
  }

  const git = (...args: string[]): string => gitOf(system, projectId)(...args);

  return {
    async propose(name) {
      const sha = await work.branch(name);
      await eventually(() => work.push(name), lasting);
      await fixture.ok('POST', `${at}/statuses/${sha}`, { state: 'success', ref: name, name: 'own' });
      const wanted = { source_branch: name, target_branch: 'main', title: name };
      const { body } = await eventually(async () => {
        const reply = await system.api('POST', `${at}/merge_requests`, { body: wanted });
        expect([201, 409]).toContain(reply.status);
        return reply.status === 201
          ? reply
          : { body: (await fixture.ok('GET', `${at}/merge_requests?source_branch=${name}`))[0] };
      }, lasting);
      return { id: body.id, iid: body.iid };
    },

    async addToTrain({ iid }) {
      await eventually(async () => {
        const path = `${at}/merge_trains/merge_requests/${iid}`;
        const reply = await system.api('POST', path, { token: reviewer.token });
        // After a lost reply it is in the train already, or has even landed.
        const { state } = await fixture.ok('GET', `${at}/merge_requests/${iid}`);
        expect([reply.status, state]).toEqual(
          state === 'merged' ? [expect.any(Number), state] : [reply.status === 409 ? 409 : 201, state],
        );
      }, lasting);
    },

    runCi: (done, fails = () => false) =>
      eventually(async () => {
        await look(fails).catch(() => undefined);
        await done();
      }, lasting),

    async expectLanded(...proposals) {
      for (const one of proposals) expect([one.iid, await stateOf(one)]).toEqual([one.iid, 'merged']);
    },

    async expectLeft(...proposals) {
      for (const one of proposals) {
        expect([one.iid, await stateOf(one), await entryOf(one)]).toEqual([one.iid, 'opened', '404']);
      }
    },

    async expectSound(left) {
      const query = (sql: string) => system.query('merge_requests', sql);
      const waiting = `select id from merge_train_cars where project_id = ${projectId} and status not in ('merged', 'skip_merged')`;
      expect(await query(waiting)).toEqual([]);
      const receipts = await query(
        `select r.car_id as car, r.base_sha as base, r.landed_sha as landed, r.tested_sha as tested, p.sha as pipeline,
            r.pipeline_status as status, m.merge_commit_sha as merged
          from landing_receipts r left join pipelines p on p.id = r.pipeline_id left join merge_requests m on m.id = r.merge_request_id
          where r.project_id = ${projectId} order by r.id`,
      );
      let tip: unknown = base;
      for (const { car, base: onto, landed, tested, pipeline, status, merged } of receipts) {
        expect([car, onto, tested, pipeline, merged, status]).toEqual([car, tip, landed, landed, landed, 'success']);
        tip = landed;
      }
      const order = receipts.map(({ car }) => Number(car));
      expect(order).toEqual([...order].sort((one, other) => one - other));
      const commits = git('rev-list', '--first-parent', '--reverse', `${base}..refs/heads/main`).split('\n');
      expect(commits.filter(Boolean)).toEqual(receipts.map(({ landed }) => landed));
      expect(
        await query(
          `select id, status from pipelines where project_id = ${projectId} and ref like 'refs/merge-requests/%/train'
            and status not in ('success', 'failed', 'canceled', 'skipped')`,
        ),
      ).toEqual([]);
      await eventually(
        () =>
          expect(
            git('for-each-ref', '--format=%(refname)')
              .split('\n')
              .filter((ref) => ref.endsWith('/train')),
          ).toEqual([]),
        lasting,
      );
      git('fsck', '--strict', '--no-dangling', '--no-progress');
      const todos = await system.query(
        'collaboration',
        `select target_id as target, count(*) as count, count(distinct user_id) as users from todos
          where project_id = ${projectId} and action = 'merge_train_removed' group by target_id order by 1`,
      );
      const ids = left.map(({ id }) => id).sort((one, other) => one - other);
      expect(todos.map(({ target, count, users }) => [Number(target), Number(count), Number(users)])).toEqual(
        ids.map((id) => [id, 2, 2]),
      );
    },
  };
}
