import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithKafka, eventually, type OwnKafka, ownKafka } from '@switchyard/testkit';
import { makeFixture } from './support/fixture';
import { type System, startSystem } from './support/system';
import { makeTrainHarness } from './support/train-harness';

jest.setTimeout(240_000);

describeWithKafka(
  'over Kafka',
  () => {
    let kafka: OwnKafka;
    let system: System;
    let folder: string;
    let projectId = 0;
    let reviewerId = 0;
    let reviewer = '';

    beforeAll(async () => {
      kafka = await ownKafka();
      system = await startSystem({ KAFKA_BROKERS: kafka.brokers.join(',') });
      folder = mkdtempSync(join(tmpdir(), 'switchyard-kafka-'));
      const user = (
        await system.api('POST', '/users', {
          body: { email: 'r@example.com', username: 'reviewer', name: 'R', force_random_password: true },
        })
      ).body;
      reviewerId = user.id;
      reviewer = (
        await system.api('POST', `/users/${reviewerId}/personal_access_tokens`, {
          body: { name: 't', scopes: ['api'] },
        })
      ).body.token;
      projectId = (
        await system.api('POST', '/projects', { body: { name: 'Kafka', path: 'kafka', initialize_with_readme: true } })
      ).body.id;
      await system.api('POST', `/projects/${projectId}/members`, { body: { user_id: reviewerId, access_level: 30 } });
      await system.git(['clone', '-q', system.remote('root/kafka'), 'work'], folder);
    });
    afterAll(async () => {
      await system?.close();
      await kafka?.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    });

    async function requestReview(branch: string): Promise<number> {
      const work = join(folder, 'work');
      await system.git(['checkout', '-q', '-B', branch, 'origin/main'], work);
      writeFileSync(join(work, `${branch}.txt`), branch);
      await system.git(['add', '.'], work);
      await system.git(['commit', '-q', '-m', branch], work);
      await system.git(['push', '-q', 'origin', branch], work);
      const created = await system.api('POST', `/projects/${projectId}/merge_requests`, {
        body: { source_branch: branch, target_branch: 'main', title: branch, reviewer_ids: [reviewerId] },
      });
      expect(created.status).toBe(201);
      return created.body.iid;
    }

    const todosOf = async (iid: number) =>
      (
        (await system.api('GET', '/todos', { token: reviewer })).body as {
          project: { id: number };
          target: { iid: number };
        }[]
      ).filter(({ project, target }) => project.id === projectId && target.iid === iid);

    it('a requested review becomes one to-do', async () => {
      const iid = await requestReview('first');
      await eventually(async () => expect(await todosOf(iid)).toHaveLength(1), { within: 30_000, every: 100 });
    });

    it('an alert opens an incident, its end closes it; an incident that is closed resolves its alert', async () => {
      const at = `/projects/${projectId}`;
      const soon = { within: 30_000, every: 100 };
      await system.api('PUT', `${at}/alert_management/settings`, { body: { create_issue: true } });
      const { url, token } = (
        await system.api('POST', `${at}/alert_management/http_integrations`, { body: { name: 'A', active: true } })
      ).body;
      const sendPayload = async (payload: Record<string, unknown>) => {
        const headers = { Authorization: `Bearer ${token}` };
        expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) })).status).toBe(200);
      };
      const alertOf = async (title: string) => {
        const found = (await system.api('GET', `${at}/alert_management_alerts?search=${title}`)).body;
        expect(found).toMatchObject([{ title, issue: expect.anything() }]);
        return found[0] as { status: string; issue: { iid: number } };
      };
      await sendPayload({ title: 'ends', fingerprint: 1 });
      await sendPayload({ title: 'closed', fingerprint: 2 });
      const ends = await eventually(() => alertOf('ends'), soon);
      const closed = await eventually(() => alertOf('closed'), soon);
      await sendPayload({ title: 'ends', fingerprint: 1, status: 'resolved' });
      await system.api('PUT', `${at}/issues/${closed.issue.iid}`, { body: { state_event: 'close' } });
      await eventually(async () => {
        expect((await system.api('GET', `${at}/issues/${ends.issue.iid}`)).body.state).toBe('closed');
        expect((await alertOf('closed')).status).toBe('resolved');
      }, soon);
      expect((await system.api('GET', `${at}/issues?issue_type=incident`)).body).toHaveLength(2);
    });

    it('a train of three: one fails, two land as they were tested, to-dos exist once (D6)', async () => {
      const fixture = await makeFixture(system, { id: reviewerId, token: reviewer }, 'train', folder);
      const harness = await makeTrainHarness(fixture);
      const [first, second, third] = [
        await harness.propose('one'),
        await harness.propose('two'),
        await harness.propose('three'),
      ];
      for (const one of [first, second, third]) await harness.addToTrain(one);
      await harness.runCi(
        async () => {
          await harness.expectLanded(first, third);
          await harness.expectLeft(second);
        },
        (iid) => iid === second.iid,
      );
      await eventually(() => harness.expectSound([second]), { within: 30_000, every: 200 });
    });

    it('writes do not wait for a broker that is away, and their to-dos come when it is back', async () => {
      await kafka.kill();
      const startedAt = Date.now();
      const iid = await requestReview('second');
      expect(Date.now() - startedAt).toBeLessThan(5_000);
      expect(await todosOf(iid)).toEqual([]);
      await kafka.restart();
      await eventually(async () => expect(await todosOf(iid)).toHaveLength(1), { within: 90_000, every: 200 });
    });
  },
  'own',
);
