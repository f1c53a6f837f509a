import { eventually } from '@switchyard/testkit';
import {
  deploymentPoints,
  forkedRequestPoints,
  issueReferencePoints,
  mergePoints,
  suggestionPoints,
  trainPoints,
} from '../../e2e/support/fault-points';
import { type Fixture, makeFixture } from '../../e2e/support/fixture';
import { expectSettled, expectSoundRepository } from '../../e2e/support/oracles';
import { makeTrainHarness, type Proposal } from '../../e2e/support/train-harness';
import { atEach, type Chosen, type Ground } from './ground';

/** Merge requests that are opened, changed and merged, what follows from a merge, and trains. */
export function mergeRequestDeaths(chosen: Chosen, here: () => Ground): void {
  atEach(chosen(forkedRequestPoints))(
    'at %s: a merge request from a fork has the head of its branch',
    async (point) => {
      const { system, fixture, requests, fired, nextName } = here();
      const name = nextName('fork');
      const fork = await fixture.ok('POST', `/projects/${fixture.projectId}/fork`, { name, path: name });
      const commit = async (file: string, more: object = {}): Promise<string> => {
        const body = {
          branch: 'fix',
          commit_message: file,
          actions: [{ action: 'create', file_path: `${name}-${file}`, content: file }],
          ...more,
        };
        return (await fixture.ok('POST', `/projects/${fork.id}/repository/commits`, body)).id;
      };
      let sha = await commit('one', { start_branch: 'main' });
      const branches = { source_branch: 'fix', target_branch: 'main', target_project_id: fixture.projectId };
      const open = () =>
        system.api('POST', `/projects/${fork.id}/merge_requests`, { body: { ...branches, title: name } });
      if (point === 'merge_request.head_kept') {
        expect((await open()).status).toBe(201);
        system.arm(point);
        // The commit may be there although its reply is not.
        await commit('two').catch(() => undefined);
        sha = (await fixture.ok('GET', `/projects/${fork.id}/repository/branches/fix`)).commit.id;
      } else {
        system.arm(point);
        await open().catch(() => undefined);
      }
      await fired();
      await expectSettled(system);
      const one = await eventually(
        async () => {
          const found = await fixture.ok('GET', `${requests}?source_project_id=${fork.id}`);
          if (found.length === 0) await open();
          expect(found).toMatchObject([{ sha, source_project_id: fork.id, state: 'opened' }]);
          return found[0];
        },
        { within: 30_000, every: 200 },
      );
      await eventually(async () => expect(await fixture.remoteSha(`refs/merge-requests/${one.iid}/head`)).toBe(sha), {
        within: 30_000,
        every: 200,
      });
      await expectSoundRepository(fixture);
    },
  );

  atEach(chosen(mergePoints))('at %s: the merge lands once, or can be asked for again', async (point) => {
    const { system, fixture, requests, proposal, fired } = here();
    const { name, iid } = await proposal();
    await eventually(
      async () => expect((await fixture.ok('GET', `${requests}/${iid}`)).detailed_merge_status).toBe('mergeable'),
      { within: 20_000, every: 100 },
    );
    const merge = () => system.api('PUT', `${requests}/${iid}/merge`, { body: { should_remove_source_branch: true } });
    system.arm(point);
    await merge().catch(() => undefined);
    await fired();
    const merged = await eventually(
      async () => {
        const found = await fixture.ok('GET', `${requests}/${iid}`);
        if (found.state === 'opened' && found.detailed_merge_status === 'mergeable') await merge();
        expect(found.state).toBe('merged');
        return found;
      },
      { within: 30_000, every: 200 },
    );
    await expectSettled(system);
    expect(await fixture.remoteSha('refs/heads/main')).toBe(merged.merge_commit_sha);
    expect(await fixture.remoteSha(`refs/heads/${name}`)).toBe('');
    await expectSoundRepository(fixture);
  });

  atEach(chosen(suggestionPoints))(
    'at %s: a suggestion that is committed is marked, and its thread resolved',
    async (point) => {
      const { system, fixture, requests, proposal, fired } = here();
      const { name, iid } = await proposal();
      const { diff_refs } = await fixture.ok('GET', `${requests}/${iid}`);
      const thread = await fixture.ok('POST', `${requests}/${iid}/discussions`, {
        body: '```suggestion\nsuggested\n```',
        position: {
          ...diff_refs,
          position_type: 'text',
          new_path: `${name}.txt`,
          old_path: `${name}.txt`,
          new_line: 1,
        },
      });
      const { id } = thread.notes[0].suggestions[0];
      system.arm(point);
      await system.api('PUT', `/suggestions/${id}/apply`).catch(() => undefined);
      await fired();
      await eventually(
        async () => {
          const { notes } = await fixture.ok('GET', `${requests}/${iid}/discussions/${thread.id}`);
          expect(notes).toMatchObject([{ resolved: true, suggestions: [{ applied: true, appliable: false }] }]);
        },
        { within: 30_000, every: 100 },
      );
      expect((await system.api('PUT', `/suggestions/${id}/apply`)).status).toBe(400);
      expect(await fixture.ok('GET', `${requests}/${iid}/commits`)).toHaveLength(2);
      await expectSettled(system);
      await expectSoundRepository(fixture);
    },
  );

  atEach(chosen(issueReferencePoints))('at %s: what a merge closes is closed once', async (point) => {
    const { system, fixture, requests, proposal, fired } = here();
    const issue = await fixture.ok('POST', `/projects/${fixture.projectId}/issues`, { title: `at ${point}` });
    const { iid } = await proposal();
    await fixture.ok('PUT', `${requests}/${iid}`, { description: `Closes #${issue.iid}` });
    await expectSettled(system);
    system.arm(point);
    const merge = () => system.api('PUT', `${requests}/${iid}/merge`);
    await eventually(async () => expect((await merge()).status).toBe(200), { within: 30_000, every: 200 });
    await fired();
    await eventually(
      async () =>
        expect((await fixture.ok('GET', `/projects/${fixture.projectId}/issues/${issue.iid}`)).state).toBe('closed'),
      { within: 30_000, every: 100 },
    );
    await expectSettled(system);
    const closings = await system.query(
      'collaboration',
      `select event_id from events.outbox where event_id like 'issue.closed:${issue.id}:%'`,
    );
    expect(closings).toHaveLength(1);
  });

  atEach(chosen(deploymentPoints))(
    'at %s: a deployment is there with its merge requests or not at all',
    async (point) => {
      const { system, fixture, requests, fired } = here();
      const project = `/projects/${fixture.projectId}`;
      const sha = (await fixture.ok('GET', `${project}/repository/branches/main`)).commit.id;
      const list = `${project}/deployments?environment=${point}`;
      const deploy = () =>
        system.api('POST', `${project}/deployments`, {
          body: { environment: point, sha, ref: 'main', tag: false, status: 'success' },
        });
      system.arm(point);
      await deploy().catch(() => undefined);
      await fired();
      const found = async () => (await fixture.ok('GET', list)) as { id: number }[];
      const before = await eventually(found, { within: 30_000, every: 100 });
      expect(before.length).toBe(point === 'deployment.written' ? 0 : 1);
      if (before.length === 0)
        await eventually(async () => expect((await deploy()).status).toBe(201), { within: 30_000, every: 100 });
      const [one] = await found();
      const shown = await fixture.ok('GET', `${project}/environments?name=${point}`);
      expect(shown).toHaveLength(1);
      expect((await fixture.ok('GET', `${project}/environments/${shown[0].id}`)).last_deployment.id).toBe(one?.id);
      const came = await fixture.all(`${project}/deployments/${one?.id}/merge_requests`);
      const merged = await fixture.all(`${requests}?state=merged&target_branch=main`);
      expect(came.map(({ iid }) => iid).sort()).toEqual(merged.map(({ iid }) => iid).sort());
    },
  );

  describe('a train', () => {
    let harness: Awaited<ReturnType<typeof makeTrainHarness>>;
    let trainFixture: Fixture;
    const left: Proposal[] = [];

    beforeAll(async () => {
      const { system, fixture, folder } = here();
      trainFixture = await makeFixture(system, fixture.reviewer, 'trains', folder);
      harness = await makeTrainHarness(trainFixture);
    });

    atEach(chosen(trainPoints))('at %s: one car lands as it was tested, one leaves, each once', async (point) => {
      const { system } = here();
      const name = point.replace('train.', '');
      const [lands, leaves] = [await harness.propose(`${name}-lands`), await harness.propose(`${name}-leaves`)];
      system.arm(point);
      await harness.addToTrain(lands);
      await harness.addToTrain(leaves);
      const done = async () => {
        await harness.expectLanded(lands);
        await harness.expectLeft(leaves);
        expect(system.fired()).toBe(true);
      };
      await harness.runCi(done, (iid) => iid === leaves.iid);
      left.push(leaves);
      await expectSettled(system);
      await harness.expectSound(left);
      await expectSoundRepository(trainFixture);
    });
  });
}
