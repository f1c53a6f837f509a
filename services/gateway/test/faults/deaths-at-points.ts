import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type FakeForge, startFakeForge } from '@switchyard/testkit/forge';
import {
  alertPoints,
  archiveCancelPoints,
  archiveImportPoints,
  changePoints,
  deletedUserPoints,
  deliveryPoints,
  dependencyExportPoints,
  deploymentPoints,
  epicPoints,
  eventPoints,
  forkedRequestPoints,
  forkPoints,
  formerCopyPoints,
  gistImportPoints,
  importCancelPoints,
  importPoints,
  importRefreshPoints,
  issuePoints,
  issueReferencePoints,
  mergePoints,
  metricImagePoints,
  movePoints,
  notePoints,
  notificationPoints,
  openingPoints,
  packageDeletionPoints,
  placeholderPoints,
  projectExportPoints,
  publicationPoints,
  pushOptionPoints,
  pushPoints,
  reportPoints,
  suggestionPoints,
  trainPoints,
  uploadPoints,
} from '../e2e/support/fault-points';
import { type Fixture, makeFixture, makeReviewer, type WorkingCopy } from '../e2e/support/fixture';
import { expectOneTodoPerReview, expectSettled, expectSoundRepository } from '../e2e/support/oracles';
import { expectSoundContents, formatAt, publicationOf, publisher } from '../e2e/support/publications';
import { startReceiver } from '../e2e/support/receiver';
import { type System, startSystem } from '../e2e/support/system';
import { makeTrainHarness, type Proposal } from '../e2e/support/train-harness';
import { kill } from './deaths';

/**
 * A process dies at named points, once at each. Oracles: what was acknowledged is there once, what was not is there wholly or not at all
 * and can be done again; git is sound; outboxes run empty; a to-do exists exactly once. `named-points.test.ts` does the same under load.
 * @param chosen which points of a list are fired, if any
 */
export function deathTests(chosen: (points: readonly string[]) => readonly string[]) {
  describe('a process dies', () => {
    let system: System;
    let fixture: Fixture;
    let folder: string;
    let work: WorkingCopy;
    let at: string;
    let number = 0;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
      // Each test waits for what a dead process left behind.
      system = await startSystem({
        SWITCHYARD_MAX_DEATHS: '100',
        SWITCHYARD_RESTART_PAUSE_MS: '200',
        SWITCHYARD_RECOVERY_SECONDS: '1',
        SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1',
        SWITCHYARD_REPOSITORY_STORAGES: 'default:1,second:0',
      });
      fixture = await makeFixture(system, await makeReviewer(system), 'faults', folder);
      work = await fixture.workingCopy('work');
      at = `/projects/${fixture.projectId}/merge_requests`;
    });
    afterAll(async () => {
      await system?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** `it.each`, which takes no empty list. */
    const atEach = (points: readonly string[]) => (points.length === 0 ? () => undefined : it.each(points));

    /** A new branch, pushed, with its merge request. */
    async function proposal(description = ''): Promise<{ name: string; iid: number }> {
      number += 1;
      const name = `topic-${number}`;
      await work.branch(name);
      await push(name);
      const { iid } = await fixture.ok('POST', at, {
        source_branch: name,
        target_branch: 'main',
        title: name,
        description,
      });
      return { name, iid };
    }

    const push = (name: string) => eventually(() => work.push(name), { within: 30_000, every: 200 });
    /** What a process had taken that died before is left to it for 15 s. */
    const fired = () => eventually(() => expect(system.fired()).toBe(true), { within: 30_000 });

    atEach(chosen(pushPoints))('at %s: the push is whole or not there, and can be repeated', async (point) => {
      const { name, iid } = await proposal();
      const sha = await work.commit(`${name}-more`);
      system.arm(point);
      const acknowledged = await work.push(name).then(
        () => true,
        () => false,
      );
      await fired();
      if (acknowledged) expect(await fixture.remoteSha(`refs/heads/${name}`)).toBe(sha);
      await push(name);
      expect(await fixture.remoteSha(`refs/heads/${name}`)).toBe(sha);
      await eventually(async () => expect((await fixture.ok('GET', `${at}/${iid}`)).sha).toBe(sha), {
        within: 20_000,
        every: 100,
      });
      expect(await fixture.ok('GET', `${at}/${iid}/commits`)).toHaveLength(2);
      await expectSettled(system);
      await expectSoundRepository(fixture);
    });

    atEach(chosen(changePoints))(
      'at %s: what happened is in the change feed once, and its places have no gap',
      async (point) => {
        const feed = async () => (await fixture.ok('GET', `/projects/${fixture.projectId}/changes`)).changes;
        system.arm(point);
        const { iid } = await fixture.ok('POST', `/projects/${fixture.projectId}/issues`, { title: `at ${point}` });
        await fired();
        const of = async () =>
          (await feed()).filter(
            ({ kind, body }: { kind: string; body: { object_attributes: { iid: number } } }) =>
              kind === 'issue' && body.object_attributes.iid === iid,
          );
        await eventually(async () => expect(await of()).toHaveLength(1), { within: 30_000, every: 200 });
        await expectSettled(system);
        expect(await of()).toMatchObject([{ action: 'open', body: { object_kind: 'issue' } }]);
      },
    );

    atEach(chosen(notificationPoints))(
      'at %s: a mention leads to one mail, with one line in the ledger',
      async (point) => {
        system.arm(point);
        const { id } = await fixture.ok('POST', `/projects/${fixture.projectId}/issues`, {
          title: `at ${point}`,
          description: 'See this, @reviewer',
        });
        await fired();
        const mailed = async () =>
          (
            (await fixture.ok(
              'GET',
              `/notifications/ledger?target=Issue:${id}`,
              undefined,
              fixture.reviewer.token,
            )) as {
              channel: string;
              decision: string;
              rule: string;
            }[]
          ).filter(({ channel }) => channel === 'mail');
        await eventually(
          async () => {
            // What a dead process has taken is left to it for two minutes.
            await system.query(
              'collaboration',
              "update notification_events set due_at = now() where state = 'waiting'",
            );
            expect(await mailed()).toHaveLength(1);
          },
          { within: 60_000, every: 1_000 },
        );
        await expectSettled(system);
        expect(await mailed()).toMatchObject([{ decision: 'send', rule: 'mention' }]);
        const mails = await system.query(
          'collaboration',
          `select m.user_id::int as to from mail_parts p join mails m on m.id = p.mail_id
        join notification_events e on e.id = p.event_id where e.subject_type = 'Issue' and e.subject_id = ${id}`,
        );
        expect(mails).toEqual([{ to: fixture.reviewer.id }]);
      },
    );

    atEach(chosen(pushOptionPoints))('at %s: what the options of a push ask for is done once', async (point) => {
      number += 1;
      const name = `topic-${number}`;
      await work.branch(name);
      if (point === 'push_option.changed') await push(name);
      const title = `at ${point}`;
      const options = ['-o', 'merge_request.create', '-o', `merge_request.title=${title}`];
      if (point === 'push_option.changed') {
        await fixture.ok('POST', at, { source_branch: name, target_branch: 'main', title: name });
        await work.commit(`${name}-more`);
      }
      system.arm(point);
      await work.git(['push', '--quiet', ...options, 'origin', name]).catch(() => undefined);
      await fired();
      await expectSettled(system);
      await eventually(
        async () => {
          const found = (await fixture.ok('GET', `${at}?source_branch=${name}`)) as { title: string }[];
          expect(found.map((one) => one.title)).toEqual([title]);
        },
        { within: 30_000, every: 100 },
      );
      await expectSoundRepository(fixture);
    });

    atEach(chosen(forkedRequestPoints))(
      'at %s: a merge request from a fork has the head of its branch',
      async (point) => {
        number += 1;
        const name = `fork-${number}`;
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
            const found = await fixture.ok('GET', `${at}?source_project_id=${fork.id}`);
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
      const { name, iid } = await proposal();
      await eventually(
        async () => expect((await fixture.ok('GET', `${at}/${iid}`)).detailed_merge_status).toBe('mergeable'),
        { within: 20_000, every: 100 },
      );
      const merge = () => system.api('PUT', `${at}/${iid}/merge`, { body: { should_remove_source_branch: true } });
      system.arm(point);
      await merge().catch(() => undefined);
      await fired();
      const merged = await eventually(
        async () => {
          const found = await fixture.ok('GET', `${at}/${iid}`);
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
        const { name, iid } = await proposal();
        const { diff_refs } = await fixture.ok('GET', `${at}/${iid}`);
        const thread = await fixture.ok('POST', `${at}/${iid}/discussions`, {
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
            const { notes } = await fixture.ok('GET', `${at}/${iid}/discussions/${thread.id}`);
            expect(notes).toMatchObject([{ resolved: true, suggestions: [{ applied: true, appliable: false }] }]);
          },
          { within: 30_000, every: 100 },
        );
        expect((await system.api('PUT', `/suggestions/${id}/apply`)).status).toBe(400);
        expect(await fixture.ok('GET', `${at}/${iid}/commits`)).toHaveLength(2);
        await expectSettled(system);
        await expectSoundRepository(fixture);
      },
    );

    atEach(chosen(notePoints))(
      'at %s: the note is there once or not at all, and counted, as is its time',
      async (point) => {
        const { iid } = await proposal();
        const notes = async () =>
          (await fixture.ok('GET', `${at}/${iid}/notes?activity_filter=only_comments`)) as { body: string }[];
        system.arm(point);
        const write = () => system.api('POST', `${at}/${iid}/notes`, { body: { body: `at ${point}\n/spend 1h` } });
        await write().catch(() => undefined);
        await fired();
        const before = await eventually(notes, { within: 30_000, every: 100 });
        expect(before.length).toBe(point === 'note.written' ? 0 : 1);
        if (before.length === 0)
          await eventually(async () => expect((await write()).status).toBe(201), { within: 30_000, every: 100 });
        expect((await notes()).map(({ body }) => body)).toEqual([`at ${point}`]);
        const logs = (await fixture.ok('GET', `${at}/${iid}/timelogs`)) as { time_spent: number }[];
        expect(logs.map(({ time_spent }) => time_spent)).toEqual([3_600]);
        await eventually(async () => expect((await fixture.ok('GET', `${at}/${iid}`)).user_notes_count).toBe(1), {
          within: 30_000,
          every: 100,
        });
        await expectSettled(system);
      },
    );

    it('requests with a key are carried out once at the most while processes are killed, and nobody is told otherwise', async () => {
      const project = `/projects/${fixture.projectId}`;
      const writes = {
        issues: (name: string) => ({ title: name }),
        labels: (name: string) => ({ name, color: '#ff0000' }),
        'repository/branches': (name: string) => ({ branch: name, ref: 'main' }),
        milestones: (name: string) => ({ title: name }),
        // A snippet has a repository, variables and deploy tokens go through Prisma, what follows from a tag is another
        // service's.
        snippets: (name: string) => ({
          title: name,
          visibility: 'private',
          files: [{ file_path: 'a', content: name }],
        }),
        variables: (name: string) => ({ key: name.replace('-', '_'), value: 'v' }),
        deploy_tokens: (name: string) => ({ name, scopes: ['read_repository'] }),
        'repository/tags': (name: string) => ({ tag_name: name, ref: 'main' }),
        'packages/protection/rules': (name: string) => ({
          package_name_pattern: name,
          package_type: 'npm',
          minimum_access_level_for_push: 'owner',
        }),
      };
      const nameOf = (one: Record<string, unknown>) =>
        [one.title, one.name, one.key, one.package_name_pattern].find((given) => given !== undefined);
      const keyed = (path: string, key: string, body: object) =>
        system.api('POST', path, { body, headers: { 'Idempotency-Key': key } }).catch((error: unknown) => {
          // The connection broke; a reply that breaks its contract is a failure of its own.
          if (/breaks its contract/.test(String(error))) throw error;
          return undefined;
        });
      const kinds = Object.keys(writes) as (keyof typeof writes)[];
      const requestOf = (kind: keyof typeof writes, index: number) => {
        const name = `keyed-${index}`;
        return { kind, name, send: () => keyed(`${project}/${kind}`, `${kind}-${index}`, writes[kind](name)) };
      };
      const requests = kinds.flatMap((kind) => Array.from({ length: 6 }, (_, index) => requestOf(kind, index)));
      let killing = true;
      const killed = (async () => {
        const last = new Map<string, number | undefined>();
        for (const name of [
          'gateway',
          'collaboration',
          'packages',
          'gateway',
          'groups-admin',
          'gateway',
          'merge-requests',
        ]) {
          last.set(name, await kill(system, name, last.get(name)));
          await new Promise((settle) => setTimeout(settle, 400));
        }
        killing = false;
      })();
      /** A client that comes again after what may be repeated with the same key. */
      const insist = async ({ send }: (typeof requests)[number]) => {
        let [reply, tries] = [await send(), 1];
        const isOpen = () => reply === undefined || reply.status >= 500 || reply.headers.has('retry-after');
        for (; (isOpen() || killing) && tries < 400; tries += 1) {
          await new Promise((settle) => setTimeout(settle, 100));
          reply = await send();
          // What a dead gateway had begun is given up after two minutes, which the test does not wait for.
          if (tries % 50 === 0)
            await system
              .query('groups-admin', `update idempotency_keys set running_until = now() where state = 'running'`)
              .catch(() => undefined);
        }
        return reply;
      };
      const replies = await Promise.all(requests.map(insist));
      await killed;
      // Of each kind one that nothing interrupts.
      const last = kinds.map((kind) => requestOf(kind, 6));
      const lastReplies = await Promise.all(last.map(insist));
      expect(lastReplies.map((reply) => reply?.status)).toEqual(kinds.map(() => 201));
      requests.push(...last);
      replies.push(...lastReplies);
      for (const [at, { kind, name, send }] of requests.entries()) {
        const found = (await fixture.ok('GET', `${project}/${kind}?per_page=100`)) as Record<string, unknown>[];
        const there = found.filter((one) => String(nameOf(one)).replace('_', '-') === name);
        const reply = replies[at];
        expect([201, 409]).toContain(reply?.status);
        expect(there.length).toBeLessThanOrEqual(1);
        if (reply?.status === 409) {
          expect(reply.body.message).toMatch(/may have been carried out/);
          continue;
        }
        expect(there).toHaveLength(1);
        const again = await send();
        expect([again?.status, again?.text, again?.headers.get('idempotent-replayed')]).toEqual([
          201,
          reply?.text,
          'true',
        ]);
      }
      // Most are answered: only what a process had in its hands is not.
      expect(replies.filter((reply) => reply?.status === 201).length).toBeGreaterThan(requests.length / 4);
    });

    it.each([...chosen(issuePoints), ...chosen(epicPoints)])(
      'at %s: what is opened is there once or not at all, and can be opened again',
      async (point) => {
        const path = point.replace('.', '-');
        const group = await fixture.ok('POST', '/groups', { name: path, path });
        const kind = point.startsWith('epic') ? `/groups/${group.id}/epics` : `/projects/${fixture.projectId}/issues`;
        const found = async () => (await fixture.ok('GET', `${kind}?search=${point}`)) as { iid: number }[];
        system.arm(point);
        const open = () => system.api('POST', kind, { body: { title: `at ${point}` } });
        await open().catch(() => undefined);
        await fired();
        const before = await eventually(found, { within: 30_000, every: 100 });
        expect(before.length).toBe(point.endsWith('.written') ? 0 : 1);
        if (before.length === 0)
          await eventually(async () => expect((await open()).status).toBe(201), { within: 30_000, every: 100 });
        expect(await found()).toHaveLength(1);
        await expectSettled(system);
      },
    );

    atEach(chosen(issueReferencePoints))('at %s: what a merge closes is closed once', async (point) => {
      const issue = await fixture.ok('POST', `/projects/${fixture.projectId}/issues`, { title: `at ${point}` });
      const { iid } = await proposal();
      await fixture.ok('PUT', `${at}/${iid}`, { description: `Closes #${issue.iid}` });
      await expectSettled(system);
      system.arm(point);
      const merge = () => system.api('PUT', `${at}/${iid}/merge`);
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
        const merged = await fixture.all(`${at}?state=merged&target_branch=main`);
        expect(came.map(({ iid }) => iid).sort()).toEqual(merged.map(({ iid }) => iid).sort());
      },
    );

    atEach(chosen(deliveryPoints))('at %s: a webhook gets an event, at most again with the same key', async (point) => {
      const receiver = await startReceiver();
      const project = `/projects/${fixture.projectId}`;
      const hook = await fixture.ok('POST', `${project}/hooks`, { url: receiver.url, push_events: true });
      const name = `topic-${point}`;
      const isOf =
        (branch: string) =>
        ({ ref }: { ref: string }) =>
          ref === `refs/heads/${branch}`;
      const isDelivered = (branch: string) =>
        eventually(
          async () =>
            expect(
              (await fixture.all(`${project}/hooks/${hook.id}/events`))
                .filter((one) => isOf(branch)(one.request_data))
                .map((one) => one.response_status),
            ).toEqual(['200']),
          { within: 120_000, every: 500 },
        );
      // Earlier pushes may reach the hook late: the point must fire at this one's delivery, not at theirs.
      await work.branch(`before-${name}`);
      await push(`before-${name}`);
      await isDelivered(`before-${name}`);
      await work.branch(name);
      system.arm(point);
      await push(name);
      await fired();
      // As if the minute of the dead process's lease were over; the next process has not started yet.
      if (point === 'delivery.sent')
        await system.query('groups_admin', 'update delivery_lanes set due_at = now() where lease is not null');
      await isDelivered(name);
      const keys = receiver.received.flatMap(({ headers, body }) =>
        isOf(name)(JSON.parse(body)) ? headers['idempotency-key'] : [],
      );
      expect(keys).toEqual(Array.from({ length: point === 'delivery.sent' ? 2 : 1 }, () => keys[0]));
      await fixture.ok('DELETE', `${project}/hooks/${hook.id}`);
      await receiver.close();
    });

    atEach(chosen(forkPoints))('at %s: a fork is made once and copied whole', async (point) => {
      const name = point.replace('.', '-');
      system.arm(point);
      const made = await fixture.ok('POST', `/projects/${fixture.projectId}/fork`, { name, path: name });
      await fired();
      const fork = `/projects/${made.id}`;
      await eventually(async () => expect((await fixture.ok('GET', fork)).import_status).toBe('finished'), {
        within: 60_000,
        every: 200,
      });
      const branchesOf = async (project: string): Promise<string[]> =>
        (await fixture.all(`${project}/repository/branches`)).map((branch) => `${branch.name} ${branch.commit.id}`);
      expect(await branchesOf(fork)).toEqual(await branchesOf(`/projects/${fixture.projectId}`));
      await expectSettled(system);
      const copies = await system.query(
        'merge_requests',
        `select event_id from events.outbox where event_id = 'repository.copied:${made.id}'`,
      );
      expect(copies).toHaveLength(1);
    });

    describe('a repository moves to another storage', () => {
      /** A project with one commit, which `expectThere` looks for. */
      async function movable(point: string) {
        const name = point.replace(/[._]/g, '-');
        const made = await fixture.ok('POST', '/projects', { name, initialize_with_readme: true });
        const branches = `/projects/${made.id}/repository/branches`;
        const before = (await fixture.all(branches)).map((one) => one.commit.id);
        expect(before).toHaveLength(1);
        const expectThere = async (storage: string) => {
          const sql = `select storage from repositories where project_id = ${made.id}`;
          expect(await system.query('merge_requests', sql)).toEqual([{ storage }]);
          expect((await fixture.all(branches)).map((one) => one.commit.id)).toEqual(before);
        };
        return { move: () => system.admin('move-repository', String(made.id), 'second'), expectThere, id: made.id };
      }

      atEach(chosen(movePoints))('at %s: it is in one storage, whole, and can be moved again', async (point) => {
        const { move, expectThere } = await movable(point);
        system.arm(point);
        await expect(move()).rejects.toThrow();
        expect(system.fired()).toBe(true);
        await expectThere(point === 'move.recorded' ? 'second' : 'default');
        if (point !== 'move.recorded') await move();
        await expectThere('second');
      });

      atEach(chosen(formerCopyPoints))('at %s: its former copy goes, and nothing of it', async (point) => {
        const { move, expectThere, id } = await movable(point);
        await move();
        system.arm(point);
        // As if the hour were over for which it stays.
        await system.query('merge_requests', `update jobs set run_at = now() where kind = 'remove_former_copy'`);
        await fired();
        const former = join(system.data, 'repositories', `${id}.git`);
        await eventually(
          async () => {
            const sql = `select former_storage from repositories where project_id = ${id}`;
            expect(await system.query('merge_requests', sql)).toEqual([{ former_storage: null }]);
            expect(existsSync(former)).toBe(false);
          },
          { within: 120_000, every: 500 },
        );
        await expectThere('second');
      });
    });

    atEach(chosen(deletedUserPoints))('at %s: a user is gone with what they wrote', async (point) => {
      const name = 'leaver';
      const user = await fixture.ok('POST', '/users', {
        ...{ name, username: name, email: `${name}@example.com`, force_random_password: true },
      });
      await fixture.ok('POST', `/projects/${fixture.projectId}/members`, { user_id: user.id, access_level: 30 });
      const { token } = await fixture.ok('POST', `/users/${user.id}/personal_access_tokens`, { name, scopes: ['api'] });
      const issues = `/projects/${fixture.projectId}/issues`;
      await fixture.ok('POST', issues, { title: `at ${point}` }, token);
      await expectSettled(system);
      system.arm(point);
      await fixture.ok('DELETE', `/users/${user.id}?hard_delete=true`);
      await fired();
      await eventually(async () => expect(await fixture.ok('GET', `${issues}?search=${point}`)).toEqual([]), {
        within: 60_000,
        every: 200,
      });
      expect((await system.api('GET', `/users/${user.id}`)).status).toBe(404);
      await expectSettled(system);
    });

    describe('an alert', () => {
      let url: string;
      let alerts: string;

      beforeAll(async () => {
        const project = `/projects/${fixture.projectId}`;
        alerts = `${project}/alert_management_alerts`;
        await fixture.ok('PUT', `${project}/alert_management/settings`, { create_issue: true, send_email: true });
        const made = await fixture.ok('POST', `${project}/alert_management/http_integrations`, {
          name: 'A',
          active: true,
        });
        url = made.url.replace('//', `//:${made.token}@`);
      });

      /** What a sender does: it says it again until it is acknowledged. */
      const send = async (payload: Record<string, unknown>) => {
        const { username, password, href } = new URL(url);
        const headers = { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
        const address = href.replace(/\/\/.*@/, '//');
        await eventually(
          async () => {
            const reply = await fetch(address, { method: 'POST', headers, body: JSON.stringify(payload) });
            expect([payload, reply.status]).toEqual([payload, 200]);
          },
          { within: 30_000, every: 100 },
        );
      };

      atEach(chosen(alertPoints))(
        'at %s: it is raised once, with one incident and a mail to each, and ends once',
        async (point) => {
          const payload = { title: `at ${point}`, fingerprint: point };
          system.arm(point);
          await send(payload);
          const found = async () => (await fixture.ok('GET', `${alerts}?search=${point}`)) as Record<string, never>[];
          const alert = await eventually(
            async () => {
              const [one, ...more] = await found();
              expect([one?.title, one?.issue, more]).toEqual([payload.title, expect.anything(), []]);
              return one as { iid: number; issue: { iid: number } } & Record<string, never>;
            },
            { within: 30_000, every: 100 },
          );
          await fixture.ok('PUT', `${alerts}/${alert.iid}`, { status: 'acknowledged' });
          await fired();
          // The crashed process had minutes to send it.
          await system.query(
            'collaboration',
            "update mails set due_at = now() where state = 'waiting'; select pg_notify('switchyard_mails', '')",
          );
          await expectSettled(system);
          await send({ ...payload, status: 'resolved' });
          await eventually(
            async () => {
              expect(await found()).toMatchObject([{ status: 'resolved', issue: alert.issue }]);
              const incident = await fixture.ok('GET', `/projects/${fixture.projectId}/issues/${alert.issue.iid}`);
              expect(incident).toMatchObject({ state: 'closed', issue_type: 'incident' });
            },
            { within: 30_000, every: 100 },
          );
          await expectSettled(system);
          const mails = await eventually(
            async () => {
              const rows = await system.query(
                'collaboration',
                `select user_id::int as to, state from mails where subject like '%${point}' order by 1`,
              );
              expect(rows.map(({ state }) => state)).not.toContain('waiting');
              return rows;
            },
            { within: 30_000, every: 100 },
          );
          expect(mails).toEqual([
            { to: 1, state: 'sent' },
            { to: fixture.reviewer.id, state: 'sent' },
          ]);
          const incidents = (await fixture.all(`/projects/${fixture.projectId}/issues?issue_type=incident`)) as {
            title: string;
          }[];
          expect(incidents.filter(({ title }) => title === payload.title)).toHaveLength(1);
          const changes = await system.query(
            'alerts',
            `select count(*)::int as count from events.outbox where event_id like 'alert.statusChanged:${alert.id}:%'`,
          );
          expect(changes).toEqual([{ count: 2 }]);
        },
      );
    });

    atEach(chosen(metricImagePoints))(
      'at %s: an image of an alert is there with its file, or neither',
      async (point) => {
        const alerts = `/projects/${fixture.projectId}/alert_management_alerts`;
        const images = `${alerts}/${(await fixture.all(alerts))[0].iid}/metric_images`;
        const attach = async (): Promise<number> => {
          const form = new FormData();
          form.set('file', new Blob([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')]), 'load.png');
          const headers = { 'PRIVATE-TOKEN': system.rootToken };
          const reply = await fetch(`${system.url}/api/v4${images}`, { method: 'POST', headers, body: form });
          expect(reply.status).toBe(201);
          return ((await reply.json()) as { id: number }).id;
        };
        const attached = () => eventually(attach, { within: 30_000, every: 100 });
        system.arm(point);
        const [kept, gone] = [await attached(), await attached()];
        await fixture.ok('DELETE', `${images}/${gone}`).catch(() => undefined);
        await fired();
        const stored = () =>
          readdirSync(join(system.data, 'blobs'), { recursive: true, withFileTypes: true })
            .filter((one) => one.isFile())
            .map(({ name }) => `metric-images/${name}`)
            .sort();
        await eventually(
          async () => {
            // An upload that broke off has an hour.
            await system.query('alerts', 'update blob_remains set due_at = now()');
            const ids = (await fixture.all(images)).map(({ id }) => id);
            expect(ids).toContain(kept);
            expect(ids).not.toContain(gone);
            const rows = await system.query('alerts', 'select blob from metric_images order by blob');
            // A deletion has the sweep come by at once.
            if (stored().length > rows.length) await fixture.ok('DELETE', `${images}/${await attach()}`);
            expect(stored()).toEqual(rows.map(({ blob }) => blob));
          },
          { within: 30_000, every: 200 },
        );
      },
    );

    it.each(
      [...chosen(publicationPoints), ...chosen(packageDeletionPoints)].map(
        (point, at) => [point, formatAt(at)] as const,
      ),
    )('at %s: a package of the format %s is there with its file, or neither', async (point, format) => {
      const packages = `/projects/${fixture.projectId}/packages`;
      const name = point.replace('.', '-');
      const files = publisher(system, fixture.projectId);
      const older = publicationOf(format, name, '1.0.0', `older, at ${point}`);
      const newer = publicationOf(format, name, '2.0.0', `newer, at ${point}`);
      const isDeletion = packageDeletionPoints.includes(point);
      if (!isDeletion) system.arm(point);
      await files.publish(older);
      await files.publish(newer);
      if (isDeletion) {
        system.arm(point);
        // The older version goes: by the policy of the project, which keeps one.
        await fixture.ok('PATCH', `${packages}/cleanup/policy`, { keep_n_versions: 1 });
      }
      await fired();
      const versions = async () =>
        (await fixture.all(`${packages}?package_name=${name}`)).map(({ version }: { version: string }) => version);
      await eventually(async () => expect(await versions()).toEqual(isDeletion ? ['2.0.0'] : ['1.0.0', '2.0.0']), {
        within: 90_000,
        every: 500,
      });
      expect(await files.download(newer)).toEqual(newer.content);
      expect(await files.download(older)).toEqual(isDeletion ? undefined : older.content);
      await expectSoundContents(system, fixture.projectId);
      await fixture.ok('PATCH', `${packages}/cleanup/policy`, { keep_n_versions: null });
    });

    atEach(chosen(uploadPoints))(
      'at %s: a file that a text links to is there with its link, or neither',
      async (point) => {
        const uploads = `/projects/${fixture.projectId}/uploads`;
        const send = async (): Promise<{ id: number; url: string }> => {
          const form = new FormData();
          form.set('file', new Blob([`at ${point}`]), 'notes.txt');
          const headers = { 'PRIVATE-TOKEN': system.rootToken };
          const reply = await fetch(`${system.url}/api/v4${uploads}`, { method: 'POST', headers, body: form });
          expect(reply.status).toBe(201);
          return (await reply.json()) as { id: number; url: string };
        };
        const sent = () => eventually(send, { within: 30_000, every: 100 });
        system.arm(point);
        const [kept, gone] = [await sent(), await sent()];
        await fixture.ok('DELETE', `${uploads}/${gone.id}`).catch(() => undefined);
        await fired();
        await eventually(
          async () => {
            const ids = (await fixture.all(uploads)).map(({ id }: { id: number }) => id);
            expect([ids.includes(kept.id), ids.includes(gone.id)]).toEqual([true, false]);
          },
          { within: 30_000, every: 200 },
        );
        const reply = await fetch(`${system.url}/-/project/${fixture.projectId}${kept.url}`, {
          headers: { 'PRIVATE-TOKEN': system.rootToken },
        });
        expect(await reply.text()).toBe(`at ${point}`);
        await expectSoundContents(system, fixture.projectId);
      },
    );

    atEach([...chosen(reportPoints), ...chosen(dependencyExportPoints)])(
      'at %s: a report is there or can be sent again, and the list is exported',
      async (point) => {
        const project = `/projects/${fixture.projectId}`;
        const headers = { 'PRIVATE-TOKEN': system.rootToken };
        const { id: pipeline } = await fixture.ok('POST', `${project}/pipeline?ref=main`);
        const component = { type: 'library', name: 'a', purl: 'pkg:npm/a@1', version: '1' };
        const report = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components: [component] });
        const send = async (): Promise<void> => {
          const form = new FormData();
          form.append('file', new Blob([report]), 'gl-sbom.cdx.json');
          const url = `${system.url}/api/v4${project}/pipelines/${pipeline}/artifacts`;
          expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(201);
        };
        if (reportPoints.includes(point)) system.arm(point);
        await eventually(send, { within: 30_000, every: 100 });
        if (dependencyExportPoints.includes(point)) system.arm(point);
        // The process of the last case may still be starting; the armed one may die before it answers.
        const begun = async () => {
          const reply = await system
            .api('POST', `/pipelines/${pipeline}/dependency_list_exports`)
            .catch(() => undefined);
          expect(reply?.status === 201 || system.fired()).toBe(true);
        };
        await eventually(begun, { within: 30_000, every: 200 });
        await fired();
        await eventually(
          async () => {
            // As if the lease of the dead process had run out; an export that was not answered is there all the same.
            const made = await system.query(
              'imports_exports',
              `update dependency_list_exports set leased_until = case when leased_until > now() + interval '25 seconds'
              then leased_until else now() end where pipeline_id = ${pipeline} returning id`,
            );
            // Another one is begun at once, and with it what waits; without it the process would look after 15 s.
            const another = await fixture.ok('POST', `/pipelines/${pipeline}/dependency_list_exports`);
            const id = Math.min(another.id, ...made.map((one) => Number(one.id)));
            const file = await fetch(`${system.url}/api/v4/dependency_list_exports/${id}/download`, { headers });
            expect(((await file.json()) as { components: object[] }).components).toHaveLength(1);
          },
          { within: 90_000, every: 1_000 },
        );
      },
    );

    atEach(chosen(projectExportPoints))('at %s: the project is exported, whole', async (point) => {
      const at = `/projects/${fixture.projectId}/export`;
      await system.query('imports_exports', 'delete from project_exports');
      system.arm(point);
      const begin = () => system.api('POST', at).catch(() => undefined);
      await eventually(async () => expect((await begin())?.status === 202 || system.fired()).toBe(true), {
        within: 30_000,
        every: 200,
      });
      await fired();
      await eventually(
        async () => {
          // As if the lease of the dead process had run out.
          await system.query(
            'imports_exports',
            `update project_exports set leased_until = case when leased_until > now() + interval '25 seconds'
            then leased_until else now() end where status = 'started'`,
          );
          const { export_status: status } = await fixture.ok('GET', at);
          if (status !== 'finished') await begin();
          expect(status).toBe('finished');
        },
        { within: 90_000, every: 1_000 },
      );
      const headers = { 'PRIVATE-TOKEN': system.rootToken };
      const file = await fetch(`${system.url}/api/v4${at}/download`, { headers });
      expect(file.headers.get('content-length')).toBe(String((await file.arrayBuffer()).byteLength));
    });

    describe('an archive', () => {
      let archive: Blob;

      beforeAll(async () => {
        const at = `/projects/${fixture.projectId}/export`;
        await fixture.ok('POST', `/projects/${fixture.projectId}/labels`, { name: 'archived', color: '#ff0000' });
        const form = new FormData();
        form.set('file', new Blob(['archived']), 'archived.txt');
        const uploads = `${system.url}/api/v4/projects/${fixture.projectId}/uploads`;
        const withToken = { 'PRIVATE-TOKEN': system.rootToken };
        const sent = async () => (await fetch(uploads, { method: 'POST', headers: withToken, body: form })).status;
        await eventually(async () => expect(await sent()).toBe(201), { within: 60_000, every: 500 });
        // A process that was killed before may still be starting; each request makes another export.
        await eventually(() => fixture.ok('POST', at), { within: 60_000, every: 500 });
        await eventually(async () => expect((await fixture.ok('GET', at)).export_status).toBe('finished'), {
          within: 60_000,
          every: 500,
        });
        archive = await (await fetch(`${system.url}/api/v4${at}/download`, { headers: withToken })).blob();
      });

      async function send(path: string): Promise<number> {
        const form = new FormData();
        form.append('path', path);
        form.append('file', archive, 'archive.tar.gz');
        const headers = { 'PRIVATE-TOKEN': system.rootToken };
        const reply = await fetch(`${system.url}/api/v4/projects/import`, { method: 'POST', headers, body: form });
        return reply.status;
      }

      /** Status of the import, as if the leases of dead processes had run out. */
      async function statusOf(path: string): Promise<string> {
        await system.query(
          'imports_exports',
          `update archive_imports set leased_until = now() where leased_until < now() + interval '25 seconds' returning id`,
        );
        return (await fixture.ok('GET', `/projects/${encodeURIComponent(path)}/import`)).import_status;
      }

      atEach(chosen(archiveImportPoints))('at %s: it comes in once, whole, and its file goes', async (point) => {
        const name = point.replace(/[._]/g, '-');
        const project = `/projects/${encodeURIComponent(`root/${name}`)}`;
        system.arm(point);
        await send(name).catch(() => undefined);
        await fired();
        await eventually(
          async () => {
            // What was not acknowledged may not be there.
            if ((await system.api('GET', project)).status === 404) await send(name).catch(() => undefined);
            expect(await statusOf(`root/${name}`)).toBe('finished');
          },
          { within: 90_000, every: 500 },
        );
        const titles = (await fixture.all(`${project}/labels`)).map((one) => one.name);
        expect(titles.filter((title) => title === 'archived')).toEqual(['archived']);
        const files = (await fixture.all(`${project}/uploads`)).map((one) => one.filename);
        expect(files.filter((file) => file === 'archived.txt')).toEqual(['archived.txt']);
        const heads = async (at: string) =>
          (await fixture.all(`${at}/repository/branches`)).map((one) => `${one.name} ${one.commit.id}`);
        // Branches of forks come in under names that tell forks apart.
        const ofForks = (await fixture.all(`${at}?state=opened`))
          .filter((one) => one.source_project_id !== fixture.projectId)
          .map((one) => `imported-${one.iid}-${one.source_branch} ${one.sha}`);
        expect(await heads(project)).toEqual([...ofForks, ...(await heads(`/projects/${fixture.projectId}`))].sort());
        expect(await system.query('imports_exports', 'select 1 from archive_imports where blob is not null')).toEqual(
          [],
        );
      });

      atEach(chosen(archiveCancelPoints))('at %s: it stays cancelled, and the project says so', async (point) => {
        const name = chosen(archiveImportPoints)[0]!.replace(/[._]/g, '-');
        // As if a process worked on it still.
        const [row] = await system.query(
          'imports_exports',
          `update archive_imports set status = 'started', stage = 1, blob = 'imports/none', ended_at = null,
          leased_until = now() + interval '1 hour' where path = '${name}' returning project_id as id`,
        );
        await system.query(
          'groups_admin',
          `update projects set import_status = 'started' where id = ${row?.id} returning id`,
        );
        system.arm(point);
        const body = { project_id: Number(row?.id) };
        await system.api('POST', '/import/github/cancel', { body }).catch(() => undefined);
        await fired();
        const open = `update archive_imports set leased_until = now() where status = 'started' returning id`;
        await eventually(async () => expect(await system.query('imports_exports', open)).toEqual([]), {
          within: 60_000,
          every: 1_000,
        });
        expect(await statusOf(`root/${name}`)).toBe('canceled');
      });
    });

    describe('an import', () => {
      let forge: FakeForge;
      let repositories: string;

      beforeAll(async () => {
        repositories = join(folder, 'forge');
        await work.branch('to-be-imported');
        await work.git(['clone', '--quiet', '--bare', '.', join(repositories, 'octo', 'things.git')]);
        const label = { id: 1, name: 'bug', color: 'ff0000', description: null };
        forge = await startFakeForge(
          {
            lists: { labels: [label, { ...label, id: 2, name: 'idea' }], ...(await mergedPull()) },
            files: { 'user-attachments/assets/1': { content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') } },
          },
          repositories,
        );
        const [merged] = forge.contents.lists.pulls as { body?: string }[];
        Object.assign(merged as object, { body: `![shot](${forge.url}/user-attachments/assets/1)` });
      });

      /** A merged pull request whose branch is gone, with a comment on the first line of what it adds, and a reply to it. */
      async function mergedPull(): Promise<Record<string, object[]>> {
        const at = '2020-01-02T03:04:05Z';
        const bare = join(repositories, 'octo', 'things.git');
        const base = (await work.git(['rev-parse', 'HEAD'])).stdout.trim();
        const head = await work.commit('of-a-pull-request');
        await work.git(['push', '--quiet', bare, 'HEAD:refs/pull/7/head']);
        const user = { login: 'octocat' };
        const branch = (ref: string, sha: string) => ({ ref, sha, user, repo: { full_name: 'octo/things' } });
        const comment = {
          ...{
            id: 1,
            pull_request_url: `${bare}/pulls/7`,
            path: 'of-a-pull-request.txt',
            line: 1,
            side: 'RIGHT',
            user,
          },
          ...{ commit_id: head, original_commit_id: head, body: 'On its line', created_at: at, updated_at: at },
        };
        return {
          pulls: [
            {
              ...{ number: 7, title: 'A pull request', state: 'closed', merged_at: at, merge_commit_sha: null, user },
              ...{ head: branch('gone', head), base: branch('main', base), created_at: at, updated_at: at },
            },
          ],
          'pulls/comments': [comment, { ...comment, id: 2, in_reply_to_id: 1, body: 'A reply' }],
          'pulls/7/reviews': [{ id: 1, user, state: 'APPROVED', body: 'Good', submitted_at: at }],
          'issues/events': [
            { id: 1, event: 'merged', actor: user, issue: { number: 7, pull_request: {} }, created_at: at },
          ],
        };
      }
      afterAll(() => forge?.close());

      /** Status of the import, as if the leases of dead processes had run out. */
      async function statusOf(path: string): Promise<string> {
        await system.query(
          'imports_exports',
          `update project_imports set leased_until = now() where leased_until < now() + interval '25 seconds' returning id`,
        );
        return (await fixture.ok('GET', `/projects/${encodeURIComponent(path)}/import`)).import_status;
      }

      const start = (name: string) =>
        system.api('POST', '/import/forgea', {
          body: {
            ...{ personal_access_token: forge.token, repo_id: 1, target_namespace: 'root', new_name: name },
            forgea_hostname: forge.url,
            optional_stages: { attachments_import: true },
          },
        });

      atEach(chosen(importPoints))('at %s: it goes on, and everything is there once', async (point) => {
        const name = point.replace(/[._]/g, '-');
        const path = `root/${name}`;
        system.arm(point);
        await start(name).catch(() => undefined);
        await fired();
        const project = `/projects/${encodeURIComponent(path)}`;
        await eventually(
          async () => {
            expect(await statusOf(path)).toBe('finished');
            expect((await fixture.ok('GET', project)).import_status).toBe('finished');
          },
          { within: 90_000, every: 500 },
        );
        expect((await fixture.ok('GET', `${project}/labels`)).map((one: { name: string }) => one.name)).toEqual([
          'bug',
          'idea',
        ]);
        const branches = (await fixture.all(`${project}/repository/branches`)).map((one) => one.commit.id);
        const heads = await work.git([
          '--git-dir',
          join(repositories, 'octo', 'things.git'),
          'for-each-ref',
          '--format=%(objectname)',
          'refs/heads',
        ]);
        expect(branches).toEqual(heads.stdout.trim().split('\n'));
        expect(await system.query('imports_exports', 'select 1 from project_imports where token is not null')).toEqual(
          [],
        );
        const merged = await fixture.ok('GET', `${project}/merge_requests/7`);
        expect(merged).toMatchObject({ state: 'merged', source_branch: 'gone', imported_from: 'github' });
        const uploads = await fixture.all(`${project}/uploads`);
        expect(uploads.map(({ filename }) => filename)).toEqual(['1.png']);
        expect(merged.description).toMatch(/^!\[shot\]\(\/uploads\/[0-9a-f]{32}\/1\.png\)$/);
        const discussions = await fixture.all(`${project}/merge_requests/7/discussions`);
        const notes = discussions.map((one) => one.notes.map(({ body }: { body: string }) => body.split('\n').at(-1)));
        expect(notes.sort()).toEqual([['Good'], ['On its line', 'A reply'], ['approved this merge request']]);
        const onLine = discussions.flatMap((one) => one.notes).filter(({ type }) => type === 'DiffNote');
        const refs = merged.diff_refs;
        for (const { position } of onLine) {
          expect(position).toMatchObject({ ...refs, new_path: 'of-a-pull-request.txt', old_line: null, new_line: 1 });
        }
        expect(onLine).toHaveLength(2);
        expect(await fixture.all(`${project}/merge_requests/7/resource_state_events`)).toMatchObject([
          { state: 'merged' },
        ]);
      });

      atEach(chosen(importRefreshPoints))('at %s: what is new is there once, and what changed', async (point) => {
        const path = `root/${point.replace(/[._]/g, '-')}`;
        const project = `/projects/${encodeURIComponent(path)}`;
        const finished = () =>
          eventually(
            async () => {
              expect(await statusOf(path)).toBe('finished');
              expect((await fixture.ok('GET', project)).import_status).toBe('finished');
            },
            { within: 90_000, every: 500 },
          );
        await eventually(async () => expect((await start(path.slice('root/'.length))).status).toBe(201), {
          ...{ within: 30_000, every: 200 },
        });
        await finished();
        const [pull] = forge.contents.lists.pulls as { title: string }[];
        const { labels = [] } = forge.contents.lists;
        const [first] = labels;
        Object.assign(pull!, { title: point, updated_at: new Date().toISOString() });
        labels.push({ ...first, id: 9, name: point });
        try {
          system.arm(point);
          const body = { personal_access_token: forge.token };
          await system.api('POST', `${project}/import/refresh`, { body }).catch(() => undefined);
          await fired();
          await finished();
          const names = (await fixture.ok('GET', `${project}/labels`)).map((one: { name: string }) => one.name);
          expect(names.sort()).toEqual(['bug', 'idea', point].sort());
          expect(await fixture.ok('GET', `${project}/merge_requests/7`)).toMatchObject({
            title: point,
            state: 'merged',
          });
          const discussions = await fixture.all(`${project}/merge_requests/7/discussions`);
          expect(discussions.map((one) => one.notes.length).sort()).toEqual([1, 1, 2]);
          expect(
            await system.query('imports_exports', 'select 1 from project_imports where token is not null'),
          ).toEqual([]);
        } finally {
          labels.pop();
        }
      });

      atEach(chosen(placeholderPoints))(
        'at %s: who accepts a place has written what the person wrote',
        async (point) => {
          const name = point.replace(/[._]/g, '-');
          const dated = { created_at: '2020-01-02T03:04:05Z', updated_at: '2020-01-02T03:04:05Z' };
          const issue = {
            number: 1,
            title: 'Issue',
            body: 'Text',
            state: 'open',
            user: { login: 'octocat' },
            ...dated,
          };
          forge.contents.lists.issues = [issue];
          await eventually(async () => expect((await start(name)).status).toBe(201), { within: 30_000, every: 200 });
          const path = `root/${name}`;
          await eventually(async () => expect(await statusOf(path)).toBe('finished'), { within: 60_000, every: 500 });
          const at = `/projects/${encodeURIComponent(path)}`;
          const [placeholder] = await fixture.ok('GET', `${at}/import/placeholders`);
          expect((await fixture.ok('GET', `${at}/issues/1`)).author.id).toBe(placeholder.placeholder_user.id);
          system.arm(point);
          const { id } = await fixture.ok('GET', '/user');
          const reassign = `${at}/import/placeholders/${placeholder.id}/reassign`;
          await system.api('POST', reassign, { body: { user_id: id } }).catch(() => undefined);
          await fired();
          await eventually(
            async () => {
              // As if the lease of the dead process had run out.
              await system.query(
                'imports_exports',
                `update import_placeholders set leased_until = now() where leased_until < now() + interval '25 seconds' returning id`,
              );
              const [shown] = await fixture.ok('GET', `${at}/import/placeholders`);
              expect(shown).toMatchObject({ state: 'reassigned', placeholder_user: null, reassign_to_user: { id } });
            },
            { within: 90_000, every: 1_000 },
          );
          expect((await fixture.ok('GET', `${at}/issues/1`)).author.id).toBe(id);
          forge.contents.lists.issues = [];
        },
      );

      atEach(chosen(gistImportPoints))('at %s: a gist is a personal snippet once', async (point) => {
        const gist = {
          ...{ id: point.replace(/[._]/g, '-'), description: point, public: false, html_url: `${forge.url}/g` },
          ...{ created_at: '2020-01-02T03:04:05Z', updated_at: '2020-01-02T03:04:05Z' },
          files: { 'a.txt': { filename: 'a.txt', content: 'a', truncated: false, raw_url: `${forge.url}/raw/a` } },
        };
        forge.contents.gists.push(gist);
        system.arm(point);
        const body = { personal_access_token: forge.token, forgea_hostname: forge.url };
        await system.api('POST', '/import/forgea/gists', { body }).catch(() => undefined);
        await fired();
        await eventually(
          async () => {
            // As if the lease of the dead process had run out.
            await system.query(
              'imports_exports',
              `update gist_imports set leased_until = now() where lease is not null`,
            );
            const open = await system.query('imports_exports', `select 1 from gist_imports where token is not null`);
            expect(open).toEqual([]);
          },
          { within: 90_000, every: 2_000 },
        );
        const titles = (await fixture.all('/snippets')).map(({ title }: { title: string }) => title);
        expect(titles.filter((title) => title === point)).toEqual([point]);
      });

      atEach(chosen(importCancelPoints))('at %s: it stays cancelled, and the project says so', async (point) => {
        // Nothing of it ends before it is cancelled.
        forge.breakNext(/info\/refs/, (_, response) => response.writeHead(503).end());
        // The process of the last case may still be starting.
        const begun = async () => {
          const reply = await start('cancelled');
          expect(reply.status).toBe(201);
          return reply;
        };
        const { body } = await eventually(begun, { within: 30_000, every: 200 });
        system.arm(point);
        const cancel = () => system.api('POST', '/import/github/cancel', { body: { project_id: body.id } });
        await cancel().catch(() => undefined);
        await fired();
        await eventually(async () => expect(await statusOf('root/cancelled')).toBe('canceled'), { within: 30_000 });
        await eventually(
          async () => expect((await fixture.ok('GET', `/projects/${body.id}`)).import_status).toBe('canceled'),
          { within: 30_000 },
        );
      });
    });

    describe('a train', () => {
      let harness: Awaited<ReturnType<typeof makeTrainHarness>>;
      let trainFixture: Fixture;
      const left: Proposal[] = [];

      beforeAll(async () => {
        trainFixture = await makeFixture(system, fixture.reviewer, 'trains', folder);
        harness = await makeTrainHarness(trainFixture);
      });

      atEach(chosen(trainPoints))('at %s: one car lands as it was tested, one leaves, each once', async (point) => {
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

    atEach(chosen(eventPoints))('at %s: the to-do exists exactly once', async (point) => {
      const { iid } = await proposal();
      await expectSettled(system);
      system.arm(point);
      await fixture.ok('PUT', `${at}/${iid}`, { reviewer_ids: [fixture.reviewer.id] });
      await fired();
      const mine = async () =>
        (
          (await fixture.ok('GET', '/todos?per_page=100', undefined, fixture.reviewer.token)) as {
            project: { id: number };
            target: { iid: number };
          }[]
        )
          .filter(({ project, target }) => project.id === fixture.projectId && target.iid === iid)
          .map(({ target }) => target.iid);
      await eventually(async () => expect(await mine()).toEqual([iid]), { within: 30_000, every: 100 });
      await expectSettled(system);
      expect(await mine()).toEqual([iid]);
      await expectOneTodoPerReview(fixture);
    });

    atEach(chosen(openingPoints))(
      'at %s: the feed and the one it names show a merge request exactly once',
      async (point) => {
        const named = await proposal();
        await expectSettled(system);
        system.arm(point);
        const { iid } = await proposal(`After !${named.iid}`);
        await fired();
        const feed = async (): Promise<unknown[]> =>
          (
            (await fixture.ok(
              'GET',
              `/projects/${fixture.projectId}/events?target_type=merge_request&per_page=100`,
            )) as {
              target_iid: number;
              action_name: string;
            }[]
          ).filter(({ target_iid, action_name }) => target_iid === iid && action_name === 'opened');
        const notes = async (): Promise<unknown[]> =>
          (
            (await fixture.ok('GET', `${at}/${named.iid}/notes?per_page=100`)) as { system: boolean; body: string }[]
          ).filter(({ system: by, body }) => by && body === `mentioned in merge request !${iid}`);
        await eventually(async () => expect([await feed(), await notes()]).toMatchObject([[{}], [{}]]), {
          within: 30_000,
          every: 100,
        });
        await expectSettled(system);
        expect([(await feed()).length, (await notes()).length]).toEqual([1, 1]);
      },
    );
  });
}
