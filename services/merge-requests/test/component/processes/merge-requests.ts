import { sql } from '@switchyard/database/sql';
import {
  ApplySuggestedChangesRequest,
  SuggestedChangeServiceService,
} from '@switchyard/protos/merge_requests/v1/suggested_change';
import { Access, Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { enqueueJobs } from '../../../src/jobs';
import type { StoredCar } from '../../../src/merge-trains/domain/stored-train';
import { mergeTrainStore } from '../../../src/merge-trains/storage/merge-train.store';
import { at, type Body, mr } from '../merge-request-steps';
import { people } from '../repository-harness';
import { given, type Processes, processSteps } from './steps';

/** Merge requests, also from a fork in one process into a project in the other. */
export function mergeRequestTests(here: () => Processes): void {
  const {
    across,
    api,
    board,
    checked,
    commit,
    configure,
    facts,
    follows,
    head,
    merged,
    open,
    placed,
    remoteOf,
    report,
    status,
    tested,
  } = processSteps(here);

  test.each(['default', 'second'] as const)(
    'a merge request in %s is checked by its jobs, and lands',
    async (storage) => {
      const project = await here().harness.project(given(storage));
      await commit(project, 'main', { 'README.md': 'base\n' });
      const sha = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
      const { iid } = await open(project, 'feature');
      await checked(project, iid);
      const merged = await api(people.maintainer, 'PUT', mr(project, iid, '/merge'), { sha });
      expect([merged.status, merged.body.state]).toEqual([200, 'merged']);
      expect(placed(project)).toEqual([storage === 'default', storage === 'second']);
    },
  );

  test.each([
    ['default', 'second'],
    ['second', 'default'],
  ] as const)(
    'a merge request from a fork in %s into a project in %s follows its branch, is rebased, and what was tested lands',
    async (forkIn, targetIn) => {
      const { target, fork, iid } = await across(forkIn, targetIn, { remove_source_branch: true });
      expect([placed(target), placed(fork)]).toEqual([
        [targetIn === 'default', targetIn === 'second'],
        [forkIn === 'default', forkIn === 'second'],
      ]);
      await checked(target, iid);
      const more = await commit(fork, 'fix', { 'more.txt': 'more\n' });
      await follows(target, iid, more);
      const diffs = await api(people.developer, 'GET', mr(target, iid, '/diffs'));
      expect(diffs.body.map((file: Body) => file.new_path)).toEqual(['fix.txt', 'more.txt']);

      await commit(target, 'main', { 'main.txt': 'main\n' });
      expect((await api(people.maintainer, 'PUT', mr(target, iid, '/rebase'))).status).toBe(202);
      const rebased = await eventually(
        async () => {
          const sha = (await head(fork, 'fix')) ?? more;
          expect(sha).not.toBe(more);
          return sha;
        },
        { within: 20_000 },
      );
      await follows(target, iid, rebased);

      expect((await status(fork, rebased, { state: 'success', ref: 'fix' })).status).toBe(201);
      await configure(target, { merge_trains_enabled: true, merge_train_settling_seconds: 0, merge_train_retries: 0 });
      await checked(target, iid);
      const boarded = await board(target, iid);
      expect([boarded.status, boarded.body]).toMatchObject([201, {}]);
      const { [iid]: car } = await tested(target, [iid]);
      await report(target, car, 'success');
      await merged(target, iid);
      expect(await head(target, 'main')).toBe(car.pipeline.sha);
      await eventually(async () => expect(await head(fork, 'fix')).toBeUndefined(), { within: 20_000 });
    },
  );

  test.each([
    ['default', 'second'],
    ['second', 'default'],
  ] as const)(
    'a suggestion goes from a merge request in %s into the fork in %s that it comes from',
    async (targetIn, forkIn) => {
      const { target, fork, iid } = await across(forkIn, targetIn);
      const made = (await checked(target, iid)) as Body;
      const { base_sha: baseSha, start_sha: startSha, head_sha: headSha } = made.diff_refs;
      const place = { baseSha, startSha, headSha, oldPath: 'fix.txt', newPath: 'fix.txt', newLine: 1 };
      const suggested = {
        ...{ suggestionId: 70 + iid, fromContent: 'fix\n', toContent: 'better\n', authorId: people.developer.id },
        lines: { position: place, linesAbove: 0, linesBelow: 0 },
      };
      const { commitSha } = await here()
        .harness.asCollaboration(SuggestedChangeServiceService)
        .applySuggestedChanges(
          ApplySuggestedChangesRequest.fromPartial({
            projectId: target.id,
            mergeRequestId: made.id,
            changes: [suggested],
          }),
          {
            requestId: 'test',
            actor: { ...anonymous, userId: people.maintainer.id, username: 'maintainer', scopes: ['api'] },
            access: Access.fromPartial({ kind: Access_Kind.KIND_PROJECT, id: target.id, level: 40, tier: 'ultimate' }),
          },
        );
      expect(await head(fork, 'fix')).toBe(commitSha);
      await follows(target, iid, commitSha);
      const raw = await api(people.maintainer, 'GET', at(fork, '/repository/files/fix.txt/raw?ref=fix'));
      expect(raw.text).toBe('better\n');
      const applied = await facts(target, 'suggestionsApplied');
      expect(applied).toEqual([[iid, { suggestionIds: [70 + iid], commitSha }]]);
    },
  );

  test('a car whose fork was pushed to waits until its merge request has followed', async () => {
    const { target, iid } = await across('default', 'second');
    const { isBeingPushed } = mergeTrainStore(here().harness.db);
    const [car] = await here().harness.db.query<
      Pick<StoredCar, 'mergeRequestId' | 'sourceProjectId' | 'sourceBranch'>
    >(sql`
      select id as "mergeRequestId", source_project_id as "sourceProjectId", source_branch as "sourceBranch"
      from merge_requests where project_id = ${target.id} and iid = ${iid}`);
    expect(await isBeingPushed(car!)).toBe(false);
    await enqueueJobs(
      here().harness.db,
      [{ kind: 'follow_source', mergeRequestId: car!.mergeRequestId, actorId: 2 }],
      60,
    );
    expect(await isBeingPushed(car!)).toBe(true);
  });

  test('options of a push to a fork are carried out in the process of its target', async () => {
    const { target, fork, folder } = await across('second', 'default');
    await here().harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'By options');
    const options = ['-o', 'merge_request.create', '-o', 'merge_request.title=By push'];
    await here().harness.git(folder, 'push', '--quiet', ...options, remoteOf(fork), 'HEAD:refs/heads/pushed');
    await eventually(
      async () => {
        const { body } = await api(people.maintainer, 'GET', at(target, '/merge_requests?source_branch=pushed'));
        expect(body.map((one: Body) => one.title)).toEqual(['By push']);
      },
      { within: 20_000 },
    );
  });
}
