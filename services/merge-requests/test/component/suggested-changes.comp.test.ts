import { sql } from '@switchyard/database/sql';
import {
  SuggestedChange,
  SuggestedChangeServiceService,
  SuggestedLines,
} from '@switchyard/protos/merge_requests/v1/suggested_change';
import { Access, Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { forker, forkOf } from './fork-steps';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, commit, configure, newProject, open } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const text = Array.from({ length: 10 }, (_, line) => `line ${line + 1}\n`).join('');

/** A merge request that adds two files of ten lines. */
async function opened(): Promise<{ project: TestProject; mergeRequest: Body }> {
  const project = await newProject();
  await commit(project, 'topic', { 'a.txt': text, 'b.txt': text }, { start: 'main' });
  return { project, mergeRequest: await open(project, 'topic') };
}

const change = async (
  project: TestProject,
  id: number,
  line: number,
  given: Partial<{ path: string; above: number; below: number; from: string; to: string; author: number }> = {},
): Promise<SuggestedChange> => {
  const { diff_refs } = (await api(people.reporter, 'GET', mr(project, 1))).body;
  const path = given.path ?? 'a.txt';
  return SuggestedChange.fromPartial({
    suggestionId: id,
    lines: {
      position: {
        baseSha: diff_refs.base_sha,
        startSha: diff_refs.start_sha,
        headSha: diff_refs.head_sha,
        oldPath: path,
        newPath: path,
        newLine: line,
      },
      linesAbove: given.above ?? 0,
      linesBelow: given.below ?? 0,
    },
    fromContent: given.from ?? `line ${line}\n`,
    toContent: given.to ?? `LINE ${line}\n`,
    authorId: given.author ?? people.reporter.id,
  });
};

const apply = (
  project: TestProject,
  mergeRequest: Pick<Body, 'id'>,
  changes: SuggestedChange[],
  { by = people.developer, level = 30, message = '' } = {},
) =>
  harness.asCollaboration(SuggestedChangeServiceService).applySuggestedChanges(
    { projectId: project.id, mergeRequestId: mergeRequest.id, changes, commitMessage: message },
    {
      requestId: 'test',
      actor: { ...anonymous, userId: by.id, username: `user${by.id}`, scopes: ['api'] },
      access: Access.fromPartial({ kind: Access_Kind.KIND_PROJECT, id: project.id, level, tier: 'ultimate' }),
    },
  );

const file = async (project: TestProject, path: string): Promise<string> =>
  (await api(people.reporter, 'GET', at(project, `/repository/files/${path}/raw?ref=topic`))).text;

const branch = async (project: TestProject): Promise<Body> =>
  (await api(people.reporter, 'GET', at(project, '/repository/branches/topic'))).body.commit;

test('changes of several files become one commit by the one who suggested them', async () => {
  const { project, mergeRequest } = await opened();
  const changes = [
    await change(project, 7, 5, { above: 1, below: 1, from: 'line 4\nline 5\nline 6\n', to: 'four to six\n' }),
    await change(project, 8, 1, { to: '' }),
    await change(project, 9, 10, { path: 'b.txt' }),
  ];
  const before = await branch(project);
  const { commitSha } = await apply(project, mergeRequest, changes);
  const head = await branch(project);
  expect(head).toMatchObject({
    id: commitSha,
    parent_ids: [before.id],
    message: 'Apply 3 suggestion(s) to 2 file(s)\n',
  });
  expect(head.author_name).not.toBe(head.committer_name);
  expect(await file(project, 'a.txt')).toBe('line 2\nline 3\nfour to six\nline 7\nline 8\nline 9\nline 10\n');
  expect(await file(project, 'b.txt')).toBe(text.replace('line 10', 'LINE 10'));
  const events = await harness.db.query<{ fact: Body }>(sql`
    select body->'suggestionsApplied' as fact from events.outbox
    where type = 'merge_request.changed' and body->'suggestionsApplied' is not null`);
  expect(events.map(({ fact }) => fact)).toEqual([{ suggestionIds: expect.anything(), commitSha }]);
  expect(events[0]?.fact.suggestionIds.map(Number)).toEqual([7, 8, 9]);
});

test('the message is that of the caller, else of the project, with its placeholders', async () => {
  const { project, mergeRequest } = await opened();
  await configure(project, { suggestion_commit_message: '%{username} on %{branch_name}: %{file_paths}' });
  await apply(project, mergeRequest, [await change(project, 1, 1)]);
  expect((await branch(project)).message).toBe('user3 on topic: a.txt\n');
  const two = [await change(project, 2, 2), await change(project, 3, 3, { author: people.owner.id })];
  await apply(project, mergeRequest, two, { message: 'Take %{suggestions_count}\n\n%{co_authored_by}' });
  const { message, author_name, committer_name } = await branch(project);
  expect(message).toMatch(/^Take 2\n\nCo-authored-by: .+ <.+>\nCo-authored-by: .+ <.+>\n$/);
  expect(author_name).toBe(committer_name);
});

test('what does not apply makes no commit, and every reason is said', async () => {
  const { project, mergeRequest } = await opened();
  const before = (await branch(project)).id;
  const refusals: [SuggestedChange[], RegExp][] = [
    [
      [await change(project, 1, 4), await change(project, 2, 5, { above: 1, from: 'line 4\nline 5\n' })],
      /Suggestion 2 .*another suggestion/,
    ],
    [
      [await change(project, 1, 4, { from: 'else\n' }), await change(project, 2, 6, { from: 'else\n' })],
      /Suggestion 1 .*changed.*Suggestion 2 .*changed/,
    ],
    [[await change(project, 1, 4, { to: 'line 4\n' })], /Suggestion 1 .*changes nothing/],
    [[await change(project, 1, 4, { path: 'none.txt' })], /Suggestion 1 .*changed/],
  ];
  for (const [changes, reason] of refusals)
    await expect(apply(project, mergeRequest, changes)).rejects.toMatchObject({
      kind: 'bad_request',
      body: { message: expect.stringMatching(reason) },
    });
  await expect(
    apply(project, mergeRequest, [await change(project, 1, 4)], { by: people.reporter, level: 20 }),
  ).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(apply(project, { id: 9_999 }, [await change(project, 1, 4)])).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect((await branch(project)).id).toBe(before);
  const kept = await change(project, 1, 4);
  await api(people.developer, 'PUT', mr(project, 1), { state_event: 'close' });
  await expect(apply(project, mergeRequest, [kept])).rejects.toMatchObject({ kind: 'bad_request' });
});

test('a push since moves a change with its lines, and refuses it where they have changed', async () => {
  const { project, mergeRequest } = await opened();
  const [moves, stays] = [await change(project, 1, 8), await change(project, 2, 2)];
  const push = async (content: string) =>
    api(people.maintainer, 'PUT', at(project, '/repository/files/a.txt'), {
      branch: 'topic',
      content,
      commit_message: 'Change',
    });
  await push(text.replace('line 2\n', 'two\nand a half\n'));
  await expect(apply(project, mergeRequest, [stays])).rejects.toMatchObject({ kind: 'bad_request' });
  await apply(project, mergeRequest, [moves]);
  expect(await file(project, 'a.txt')).toContain('line 7\nLINE 8\nline 9\n');
  await expect(apply(project, mergeRequest, [moves])).rejects.toMatchObject({ kind: 'bad_request' });
});

test('of two who apply at the same time both get what they asked for, or a refusal', async () => {
  const { project, mergeRequest } = await opened();
  const changes = await Promise.all([1, 3, 5, 7].map((line) => change(project, line, line)));
  const done = await Promise.allSettled(changes.map((one) => apply(project, mergeRequest, [one])));
  const lines = (await file(project, 'a.txt')).split('\n').filter((line) => line.startsWith('LINE'));
  expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(lines.length);
  expect(lines.length).toBeGreaterThan(0);
  for (const one of done) if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'bad_request' });
});

test('lines are read around a place, as far as there are any', async () => {
  const { project } = await opened();
  const { lines } = await change(project, 1, 2);
  const place = (newLine: number, newPath = 'a.txt', linesAbove = 0, linesBelow = 0) =>
    SuggestedLines.fromPartial({ position: { ...lines?.position, newLine, newPath }, linesAbove, linesBelow });
  const { found } = await harness.asCollaboration(SuggestedChangeServiceService).readSuggestedLines(
    {
      projectId: project.id,
      suggested: [place(2, 'a.txt', 9, 1), place(10, 'b.txt', 0, 5), place(11), place(1, 'c.txt')],
    },
    { requestId: 'test' },
  );
  expect(found).toEqual([
    { content: 'line 1\nline 2\nline 3\n', linesAbove: 1, linesBelow: 1 },
    { content: 'line 10\n', linesAbove: 0, linesBelow: 0 },
    { content: undefined, linesAbove: 0, linesBelow: 0 },
    { content: undefined, linesAbove: 0, linesBelow: 0 },
  ]);
});

test('across forks the commit goes to the fork, by those who may push there (ADR 39)', async () => {
  const project = await harness.project({ visibility: 'public' });
  await commit(project, 'main', { 'README.md': 'base\n' });
  const fork = await forkOf(harness, project);
  const before = await commit(fork, 'topic', { 'a.txt': text }, { start: 'main', by: forker });
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic', target_project_id: project.id };
  const { body: mergeRequest } = await api(forker, 'POST', at(fork, '/merge_requests'), request);
  const changes = [await change(project, 1, 5)];
  const by = { by: people.maintainer, level: 40 };
  await expect(apply(project, mergeRequest, changes, by)).rejects.toMatchObject({ kind: 'forbidden' });
  expect((await branch(fork)).id).toBe(before);
  await api(forker, 'PUT', mr(project, 1), { allow_collaboration: true });
  await api(forker, 'POST', at(fork, '/protected_branches'), { name: 'topic' });
  await expect(apply(project, mergeRequest, changes, by)).rejects.toMatchObject({ kind: 'forbidden' });
  await api(forker, 'DELETE', at(fork, '/protected_branches/topic'));
  const closed = (level: string) =>
    harness.db.query(sql`update directory.projects set repository_access_level = ${level} where id = ${fork.id}`);
  await closed('private');
  await expect(apply(project, mergeRequest, changes, by)).rejects.toMatchObject({ kind: 'forbidden' });
  await closed('enabled');
  const { commitSha } = await apply(project, mergeRequest, changes, by);
  expect(await branch(fork)).toMatchObject({ id: commitSha, parent_ids: [before] });
  expect(await file(fork, 'a.txt')).toBe(text.replace('line 5', 'LINE 5'));
  await eventually(async () => {
    expect((await api(forker, 'GET', mr(project, 1))).body.sha).toBe(commitSha);
  });
});
