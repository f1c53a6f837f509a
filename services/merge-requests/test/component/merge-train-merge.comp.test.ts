import { eventually } from '@switchyard/testkit';
import { type Body, mr } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, people, startHarness } from './repository-harness';

let harness: Harness;
const { api, addMembers, car, checked, configure, ready, tested, trains, withTrain } = mergeTrainSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const { maintainer, developer } = people;

describe('PUT /merge where trains run', () => {
  test('adds with the auto-merge flag, is 405 without it, and goes past the train where that is allowed', async () => {
    const project = await withTrain(0);
    for (const iid of [1, 2, 3]) {
      await ready(project, iid);
      await checked(project, iid);
    }
    const merge = (iid: number, body: object) => api(maintainer, 'PUT', mr(project, iid, '/merge'), body);
    expect((await merge(1, {})).status).toBe(405);
    expect((await merge(1, { skip_merge_train: true })).status).toBe(405);
    const added = await merge(1, { auto_merge: true });
    expect([added.status, added.body.state, added.body.merge_when_pipeline_succeeds]).toEqual([200, 'opened', true]);
    const { 1: first } = await tested(project, [1]);

    await configure(project, { merge_trains_skip_train_allowed: true });
    const past = await merge(2, { skip_merge_train: true });
    expect([past.status, past.body.state]).toEqual([200, 'merged']);
    expect((await api(developer, 'GET', car(project, 2))).body).toMatchObject({
      status: 'skip_merged',
      pipeline: null,
    });
    expect((await api(developer, 'GET', car(project, 2, '/receipt'))).body).toMatchObject({
      tested: null,
      pipeline: null,
      landed: { sha: past.body.merge_commit_sha },
    });
    // What was tested does not lie on the target branch any more.
    await eventually(async () => {
      const { body } = await api(developer, 'GET', car(project, 1));
      expect(body.pipeline?.sha).not.toBe(first?.pipeline.sha);
      expect(body.status).toBe('fresh');
    });
    const { body: complete } = await api(developer, 'GET', trains(project, '?scope=complete'));
    expect(complete.map(({ status }: Body) => status)).toEqual(['skip_merged']);
  });
});
