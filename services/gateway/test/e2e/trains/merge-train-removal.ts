import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atOnce, eventually } from '@switchyard/testkit';
import type { ApiReply, System } from '../support/system';

/** Six trains wait at a time: asking more often would keep the system busier than they do. */
const soon = { within: 15_000, every: 250 };

/** TestUser with a token. */
interface User {
  readonly id: number;
  readonly token: string;
}

/** A train of three: added by Ada, written by Bob. */
interface Fixture {
  readonly projectId: number;
  readonly path: string;
  /** Who added the cars. */
  readonly adder: User;
  readonly author: User;
  readonly target: string;
  /** Pipelines of the three, as they were before the first one left. */
  readonly pipelines: readonly { readonly id: number; readonly sha: string }[];
  /** Path below the project. */
  at(path?: string): string;
}

/** A way out of a train, and what it is said to be. */
interface RemovalCase {
  readonly because?: string;
  readonly settings?: Record<string, unknown>;
  readonly target?: string;
  /** The others leave with the first one, for the same reason. */
  readonly all?: boolean;
  /** Who finds no to-do: sees the project no longer, or has nothing left to do. */
  readonly untold?: 'adder' | 'everybody';
  readonly state?: string;
  /** How its pipeline may have ended; `canceled` unless told. */
  readonly ends?: readonly string[];
  /** Somebody who is there for this train alone. */
  readonly adder?: 'own';
  leave(fixture: Fixture): Promise<unknown>;
}

export const leavingTests = (started: () => System): void =>
  describe('a car leaves its train', () => {
    let system: System;
    let folder: string;
    let carol: User;
    let dan: User;
    let made = 0;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'switchyard-leaving-'));
      system = started();
      carol = await user('carol');
      dan = await user('dan');
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    async function call(method: string, path: string, body?: unknown, by?: User): Promise<ApiReply['body']> {
      const reply = await system.api(method, path, { token: by?.token, ...(body === undefined ? {} : { body }) });
      if (reply.status >= 300) throw new Error(`${method} ${path} ${reply.status} ${reply.text}`);
      return reply.body;
    }

    async function user(name: string): Promise<User> {
      const { id } = await call('POST', '/users', {
        email: `${name}@example.com`,
        username: name,
        name,
        force_random_password: true,
      });
      const { token } = await call('POST', `/users/${id}/personal_access_tokens`, { name: 'work', scopes: ['api'] });
      return { id, token };
    }

    const three = [1, 2, 3] as const;

    async function openFixture(way: RemovalCase): Promise<Fixture> {
      made += 1;
      const number = made;
      const target = way.target ?? 'main';
      const adder = way.adder === 'own' ? await user(`adder${number}`) : carol;
      const project = await call('POST', '/projects', {
        name: `Shop ${number}`,
        path: `shop${number}`,
        initialize_with_readme: true,
        merge_pipelines_enabled: true,
        merge_trains_enabled: true,
        ...way.settings,
      });
      const at = (path = ''): string => `/projects/${project.id}${path}`;
      await call('POST', at('/members'), { user_id: adder.id, access_level: 40 });
      await call('POST', at('/members'), { user_id: dan.id, access_level: 30 });
      await call('POST', at('/repository/branches'), { branch: 'stable', ref: 'main' });
      for (const iid of three) {
        const commit = await call(
          'POST',
          at('/repository/commits'),
          {
            branch: `b${iid}`,
            start_branch: target,
            commit_message: `Add ${iid}`,
            actions: [{ action: 'create', file_path: `file${iid}`, content: `${iid}\n` }],
          },
          adder,
        );
        await call('POST', at(`/statuses/${commit.id}`), { state: 'success', ref: `b${iid}` });
        const wish = { source_branch: `b${iid}`, target_branch: target, title: `Add ${iid}` };
        expect((await call('POST', at('/merge_requests'), wish, dan)).iid).toBe(iid);
      }
      for (const iid of three) {
        await eventually(
          async () => expect((await call('GET', at(`/merge_requests/${iid}`))).merge_status).toBe('can_be_merged'),
          soon,
        );
        await call('POST', at(`/merge_trains/merge_requests/${iid}`), {}, adder);
      }
      const pipelines: Fixture['pipelines'][number][] = [];
      for (const iid of three) pipelines.push((await tested(at, iid)).pipeline);
      return { projectId: project.id, path: project.path_with_namespace, adder, author: dan, target, pipelines, at };
    }

    /** The entry of a merge request once it has a pipeline other than `before`. */
    const tested = (at: Fixture['at'], iid: number, before?: number): Promise<ApiReply['body']> =>
      eventually(async () => {
        const entry = await call('GET', at(`/merge_trains/merge_requests/${iid}`));
        expect([entry.status, entry.pipeline?.status]).toEqual(['fresh', 'pending']);
        expect(entry.pipeline.id).not.toBe(before);
        return entry;
      }, soon);

    const gone = (at: Fixture['at'], iid: number): Promise<void> =>
      eventually(
        async () => expect((await system.api('GET', at(`/merge_trains/merge_requests/${iid}`))).status).toBe(404),
        soon,
      );

    const report =
      (state: string) =>
      ({ at, pipelines: [first], adder }: Fixture): Promise<unknown> =>
        call('POST', at(`/statuses/${first?.sha}`), { state, name: 'ci', pipeline_id: first?.id }, adder);
    const write = (branch: string, file_path: string, content: string) => (fixture: Fixture) =>
      call('POST', fixture.at('/repository/commits'), {
        branch,
        commit_message: 'From elsewhere',
        actions: [{ action: 'create', file_path, content }],
      });
    const change = (body: object) => (fixture: Fixture) =>
      call('PUT', fixture.at('/merge_requests/1'), body, fixture.author);

    const rightLost = 'the user who queued it may no longer merge into the target branch';
    const trainsOff = 'merge trains are no longer in force for the project';
    const userGone = 'the account of the user who queued it was blocked or deleted';

    const ways: Record<string, RemovalCase> = {
      'taken off by who added it': {
        leave: ({ at, adder }) => call('DELETE', at('/merge_trains/merge_requests/1'), undefined, adder),
      },
      'its auto-merge cancelled': {
        leave: ({ at, adder }) => call('POST', at('/merge_requests/1/cancel_merge_when_pipeline_succeeds'), {}, adder),
      },
      closed: { because: 'it was closed', state: 'closed', leave: change({ state_event: 'close' }) },
      'marked as a draft': { because: 'it was marked as a draft', leave: change({ title: 'Draft: Add 1' }) },
      retargeted: { because: 'its target branch was changed', leave: change({ target_branch: 'stable' }) },
      'pushed to': { because: 'commits were pushed to its source branch', leave: write('b1', 'more', 'more\n') },
      'its pipeline failed': {
        because: 'its pipeline failed',
        settings: { merge_train_retries: 0 },
        ends: ['failed'],
        leave: report('failed'),
      },
      'about to land when a user opens a thread': {
        because: 'it no longer meets what has to hold for a merge',
        settings: { only_allow_merge_if_all_discussions_are_resolved: true },
        ends: ['success', 'canceled'],
        leave: async (fixture) => {
          await call('POST', fixture.at('/merge_requests/1/discussions'), { body: 'Wait' }, fixture.author);
          await report('success')(fixture);
        },
      },
      'its pipeline reported as cancelled': { because: 'its pipeline was canceled', leave: report('canceled') },
      'its pipeline cancelled': {
        because: 'its pipeline was canceled',
        leave: ({ at, pipelines: [first], adder }) => call('POST', at(`/pipelines/${first?.id}/cancel`), {}, adder),
      },
      'its source branch deleted': {
        because: 'its source branch was deleted',
        state: 'closed',
        leave: ({ at, adder }) => call('DELETE', at('/repository/branches/b1'), undefined, adder),
      },
      'in conflict with a push to the target': {
        because: 'it conflicts with the target branch',
        leave: write('main', 'file1', 'other\n'),
      },
      'its changes on the target already': {
        because: 'the target branch already has its changes',
        leave: write('main', 'file1', '1\n'),
      },
      'merged by a push': {
        because: 'a push brought its commits into the target branch',
        state: 'merged',
        untold: 'everybody',
        leave: async ({ path }) => {
          const clone = mkdtempSync(join(folder, 'clone-'));
          await system.git(['clone', '-q', system.remote(path), clone]);
          await system.git(['merge', '-q', '--no-edit', '--no-ff', 'origin/b1'], clone);
          await system.git(['push', '-q', 'origin', 'HEAD:main'], clone);
        },
      },
      'its target branch deleted': {
        because: 'its target branch was deleted',
        target: 'stable',
        all: true,
        leave: ({ at, adder }) => call('DELETE', at('/repository/branches/stable'), undefined, adder),
      },
      'who added it may not merge any more': {
        because: rightLost,
        all: true,
        leave: ({ at, adder }) => call('PUT', at(`/members/${adder.id}`), { access_level: 30 }),
      },
      'the branch protected against who added it': {
        because: rightLost,
        all: true,
        leave: async ({ at }) => {
          await call('DELETE', at('/protected_branches/main'));
          await call('POST', at('/protected_branches'), { name: 'main', merge_access_level: 0, push_access_level: 0 });
        },
      },
      'who added it is no member any more': {
        because: rightLost,
        all: true,
        untold: 'adder',
        leave: ({ at, adder }) => call('DELETE', at(`/members/${adder.id}`)),
      },
      'who added it is no member any more, while its tests report': {
        because: rightLost,
        all: true,
        untold: 'adder',
        leave: async ({ at, adder, pipelines: [, second] }) => {
          await call('DELETE', at(`/members/${adder.id}`));
          const isGone = async (): Promise<boolean> =>
            (await system.api('GET', at('/merge_trains/merge_requests/3'))).status === 404;
          for (let part = 0; part < 15 && !(await isGone()); part += 1) {
            const body = { state: 'running', name: `part ${part}`, pipeline_id: second?.id };
            await system.api('POST', at(`/statuses/${second?.sha}`), { body });
            await new Promise((wait) => setTimeout(wait, 1_000));
          }
        },
      },
      'who added it blocked': {
        because: userGone,
        all: true,
        adder: 'own',
        untold: 'adder',
        leave: ({ adder }) => call('POST', `/users/${adder.id}/block`),
      },
      'who added it deleted': {
        because: userGone,
        all: true,
        adder: 'own',
        untold: 'adder',
        leave: ({ adder }) => call('DELETE', `/users/${adder.id}`),
      },
      'trains switched off': {
        because: trainsOff,
        all: true,
        leave: ({ at, adder }) => call('PUT', at(), { merge_trains_enabled: false }, adder),
      },
      'the project archived': {
        because: 'the project was archived',
        all: true,
        leave: ({ at }) => call('POST', at('/archive')),
      },
      'pipelines of merge requests switched off': {
        because: trainsOff,
        all: true,
        leave: ({ at, adder }) => call('PUT', at(), { merge_pipelines_enabled: false }, adder),
      },
    };

    const todosOf = async ({ projectId }: Fixture, reader: User): Promise<ApiReply['body'][]> =>
      (await call('GET', '/todos?action=merge_train_removed&per_page=100', undefined, reader)).filter(
        (todo: ApiReply['body']) => todo.project.id === projectId,
      );

    async function expectLeft(name: string, way: RemovalCase): Promise<void> {
      const fixture = await openFixture(way);
      const { at, pipelines, target } = fixture;
      await way.leave(fixture);
      const leaving = way.all === true ? three : [1];
      for (const iid of leaving) await gone(at, iid);
      for (const iid of three.slice(leaving.length)) await tested(at, iid, pipelines[iid - 1]?.id);
      const states: string[] = [];
      for (const { id } of pipelines) states.push((await call('GET', at(`/pipelines/${id}`))).status);
      const [first = '', ...others] = states;
      expect([name, ...others]).toEqual([name, 'canceled', 'canceled']);
      expect(way.ends ?? ['canceled']).toContain(first);
      expect(await call('GET', at('/merge_requests/1'))).toMatchObject({
        state: way.state ?? 'opened',
        merge_when_pipeline_succeeds: false,
      });

      const train = `the merge train for \`${target}\``;
      const reason = way.because === undefined ? '' : ` because ${way.because}`;
      await eventually(async () => {
        const notes: ApiReply['body'][] = await call('GET', at('/merge_requests/1/notes?per_page=100'));
        // What it failed on follows in lines of its own.
        const system = notes.filter((note) => note.system).map((note) => note.body.split('\n')[0] as string);
        expect(system.filter((text) => text.includes('merge train'))).toEqual([
          `removed this merge request from ${train}${reason}`,
          `started ${train}`,
        ]);
      }, soon);
      const told = way.untold === 'everybody' ? [] : way.untold === 'adder' ? [dan] : [dan, fixture.adder];
      const sentence = `Removed from ${train}${reason}.`;
      for (const reader of told) {
        await eventually(
          async () =>
            expect(
              (await todosOf(fixture, reader)).map(({ target: of, body }) => [of.iid, body.split('\n')[0]]).sort(),
            ).toEqual(leaving.map((iid) => [iid, sentence])),
          soon,
        );
      }
      if (way.untold !== undefined && way.adder !== 'own') expect(await todosOf(fixture, carol)).toEqual([]);
    }

    // At once, as they would come: what is done for the one train holds up no other.
    describe('with its reason, and those behind it are tested anew', () => {
      const names = Object.keys(ways);
      let leaving: (name: string) => Promise<void>;
      beforeAll(() => {
        leaving = atOnce(names, 6, (name) => expectLeft(name, ways[name] as RemovalCase));
      });

      it.each(names)('%s', (name) => leaving(name));
    });
  });
