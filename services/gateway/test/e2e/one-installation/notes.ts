import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type Fixture, makeFixture, makeReviewer, type WorkingCopy } from '../support/fixture';
import type { System } from '../support/system';

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
type Item = any;

/** One installation: what is said about a merge request and a commit, as clients see it. */
export const noteTests = (started: () => System): void =>
  describe('notes', () => {
    let system: System;
    let fixture: Fixture;
    let folder: string;
    let work: WorkingCopy;
    let mr: string;
    let project: string;

    const edit = async (name: string, lines: readonly string[]): Promise<string> => {
      const { stdout } = await work.git(['rev-parse', '--show-toplevel']);
      writeFileSync(join(stdout.trim(), name), `${lines.join('\n')}\n`);
      await work.git(['add', '.']);
      await work.git(['commit', '-q', '-m', `edit ${name}`]);
      await work.push('topic');
      return (await work.git(['rev-parse', 'HEAD'])).stdout.trim();
    };
    const state = (): Promise<Item> => fixture.ok('GET', mr);
    const soon = (check: () => Promise<void>) => eventually(check, { within: 20_000, every: 100 });
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'switchyard-notes-'));
      system = started();
      fixture = await makeFixture(system, await makeReviewer(system), 'notes', folder);
      work = await fixture.workingCopy('work');
      project = `/projects/${fixture.projectId}`;
      await fixture.ok('PUT', project, { only_allow_merge_if_all_discussions_are_resolved: true });
      await work.branch('topic');
      await edit('file.txt', lines);
      const { iid } = await fixture.ok('POST', `${project}/merge_requests`, {
        source_branch: 'topic',
        target_branch: 'main',
        title: 'Topic',
      });
      mr = `${project}/merge_requests/${iid}`;
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('are written, listed, changed, reacted to and deleted', async () => {
      const note = await fixture.ok('POST', `${mr}/notes`, { body: 'Looks good' });
      expect(note).toMatchObject({ body: 'Looks good', type: null, system: false, noteable_type: 'MergeRequest' });
      expect((await fixture.ok('GET', `${mr}/notes?sort=asc&order_by=updated_at`)).map(({ id }: Item) => id)).toEqual([
        note.id,
      ]);
      expect((await fixture.ok('PUT', `${mr}/notes/${note.id}`, { body: 'Fine' })).body).toBe('Fine');
      const award = await fixture.ok('POST', `${mr}/notes/${note.id}/award_emoji`, { name: 'rocket' });
      expect(await fixture.ok('GET', `${mr}/notes/${note.id}/award_emoji`)).toMatchObject([{ id: award.id }]);
      const reaction = await system.api('POST', `${mr}/notes`, { body: { body: ':+1:' } });
      expect([reaction.status, reaction.body.name, reaction.body.awardable_type]).toEqual([
        201,
        'thumbsup',
        'MergeRequest',
      ]);
      await soon(async () => expect(await state()).toMatchObject({ user_notes_count: 1, upvotes: 1 }));
      expect((await system.api('DELETE', `${mr}/notes/${note.id}`)).status).toBe(204);
      expect((await system.api('GET', `${mr}/notes/${note.id}`)).status).toBe(404);
      await soon(async () => expect((await state()).user_notes_count).toBe(0));
    });

    it('say what is wrong with a request', async () => {
      const refused = async (method: string, path: string, body?: unknown, token?: string) => {
        const reply = await system.api(method, path, { body, token });
        return [reply.status, reply.body];
      };
      expect(await refused('POST', `${mr}/notes`, {})).toEqual([400, { error: 'body is missing' }]);
      expect(await refused('POST', `${mr}/notes`, { body: ' ' })).toEqual([
        400,
        { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' },
      ]);
      const note = await fixture.ok('POST', `${mr}/notes`, { body: 'x' });
      expect(await refused('PUT', `${mr}/notes/${note.id}`, { body: '' })).toEqual([400, { error: 'body is empty' }]);
      expect(await refused('POST', `${project}/merge_requests/999/notes`, { body: 'x' })).toEqual([
        404,
        { message: '404 Merge request Not Found' },
      ]);
      expect((await refused('GET', `${mr}/notes`, undefined, ''))[0]).toBe(401);
      expect((await refused('POST', `${mr}/notes`, { body: `${'é'.repeat(1_000_001)}` }))[0]).toBe(400);
      await fixture.ok('DELETE', `${mr}/notes/${note.id}`).catch(() => undefined);
    });

    it('command: what holds nothing else is no note', async () => {
      const reply = await system.api('POST', `${mr}/notes`, { body: { body: '/close\n/label ~none' } });
      expect([reply.status, reply.body]).toEqual([
        202,
        { commands_changes: { state_event: 'close' }, summary: ['Closed it.', 'Could not apply label command.'] },
      ]);
      expect((await state()).state).toBe('closed');
      const note = await fixture.ok('POST', `${mr}/notes`, { body: 'Again\n/reopen\n/draft' });
      expect(note).toMatchObject({ body: 'Again', commands_changes: { state_event: 'reopen', wip_event: 'draft' } });
      expect(await state()).toMatchObject({ state: 'opened', draft: true });
      await fixture.ok('POST', `${mr}/notes`, { body: '/ready' });
      expect((await state()).draft).toBe(false);
      await fixture.ok('POST', `${mr}/notes`, { body: '/estimate 2h\n/spend 30m' });
      expect((await state()).time_stats).toMatchObject({ time_estimate: 7200, total_time_spent: 1800 });
      await soon(async () =>
        expect(
          (await fixture.ok('GET', `${mr}/notes?activity_filter=only_activity&sort=asc`)).map(({ body }: Item) => body),
        ).toEqual([
          'changed the title to **Draft: Topic**',
          'marked this merge request as **draft**',
          'changed the title to **Topic**',
          'marked this merge request as **ready**',
          'changed the time estimate to 2h',
          'added 30m of time spent',
        ]),
      );
    });

    it('make threads that hold a merge until they are resolved', async () => {
      const thread = await fixture.ok('POST', `${mr}/discussions`, { body: 'Why?' });
      const answer = await fixture.ok('POST', `${mr}/discussions/${thread.id}/notes`, { body: 'Because' });
      expect(answer).toMatchObject({ type: 'DiscussionNote', resolvable: true, resolved: false });
      expect((await fixture.ok('GET', `${mr}/discussions/${thread.id}`)).notes).toHaveLength(2);
      expect(await fixture.ok('GET', `${mr}/discussions/${thread.id}/notes`)).toHaveLength(2);
      await soon(async () =>
        expect(await state()).toMatchObject({
          blocking_discussions_resolved: false,
          detailed_merge_status: 'discussions_not_resolved',
        }),
      );
      const resolved = await fixture.ok('PUT', `${mr}/discussions/${thread.id}`, { resolved: true });
      expect(resolved.notes.map((note: Item) => note.resolved)).toEqual([true, true]);
      await soon(async () => expect((await state()).blocking_discussions_resolved).toBe(true));
      const both = await system.api('PUT', `${mr}/discussions/${thread.id}/notes/${answer.id}`, { body: { other: 1 } });
      expect([both.status, both.body]).toEqual([
        400,
        { error: 'body, resolved are missing, exactly one parameter must be provided' },
      ]);
      expect((await system.api('DELETE', `${mr}/discussions/${thread.id}/notes/${answer.id}`)).status).toBe(204);
    });

    it('hold a merge that is asked for before the event of their thread was handled', async () => {
      const merge = () => system.api('PUT', `${mr}/merge`, { body: {} });
      await soon(async () => expect((await state()).detailed_merge_status).toBe('mergeable'));
      const thread = await fixture.ok('POST', `${mr}/discussions`, { body: 'Wait' });
      expect((await merge()).status).toBe(405);
      await fixture.ok('PUT', `${mr}/discussions/${thread.id}`, { resolved: true });
      await fixture.ok('POST', `${mr}/discussions`, { body: 'And this?' });
      expect((await merge()).status).toBe(405);
    });

    it('stand at lines of the diff, and move with pushes', async () => {
      const { diff_refs } = await state();
      const position = { ...diff_refs, position_type: 'text', new_path: 'file.txt' };
      const at = async (line: number) =>
        fixture.ok('POST', `${mr}/discussions`, { body: `on ${line}`, position: { ...position, new_line: line } });
      const stays = await at(20);
      const goes = await at(5);
      expect(stays.notes[0]).toMatchObject({
        type: 'DiffNote',
        position: { new_line: 20, head_sha: diff_refs.head_sha },
      });
      const nowhere = await system.api('POST', `${mr}/discussions`, {
        body: { body: 'x', position: { ...position, new_line: 99 } },
      });
      expect(nowhere.status).toBe(400);
      const incomplete = await system.api('POST', `${mr}/discussions`, { body: { body: 'x', position: {} } });
      expect([incomplete.status, incomplete.body.error]).toEqual([
        400,
        'position[base_sha] is missing, position[start_sha] is missing, position[head_sha] is missing, position[position_type] is missing',
      ]);
      const head = await edit('file.txt', ['top', ...lines.slice(0, 4), 'five', ...lines.slice(5)]);
      const place = async (id: string) => (await fixture.ok('GET', `${mr}/discussions/${id}`)).notes[0].position;
      await soon(async () => expect(await place(stays.id)).toMatchObject({ new_line: 21, head_sha: head }));
      expect(await place(goes.id)).toMatchObject({ new_line: 5, head_sha: diff_refs.head_sha });
    });

    it('are drafted, and published together as a review', async () => {
      const drafts = `${mr}/draft_notes`;
      const me = await fixture.ok('GET', '/user');
      await fixture.ok('PUT', mr, { reviewer_ids: [me.id] });
      const { diff_refs } = await state();
      const thread = await fixture.ok('POST', `${mr}/discussions`, { body: 'Really?' });
      const position = { ...diff_refs, position_type: 'text', new_path: 'file.txt', new_line: 20 };
      const placed = await fixture.ok('POST', drafts, { note: 'Here', position });
      expect(placed).toMatchObject({
        position: { new_line: 20 },
        line_code: expect.stringMatching(/^[0-9a-f]{40}_1_20$/),
      });
      await fixture.ok('POST', drafts, {
        note: 'Done',
        in_reply_to_discussion_id: thread.id,
        resolve_discussion: true,
      });
      const single = await fixture.ok('POST', drafts, { note: 'Alone' });
      expect((await fixture.ok('PUT', `${drafts}/${single.id}`, { note: 'First' })).note).toBe('First');
      expect((await fixture.ok('GET', drafts)).map(({ note }: Item) => note)).toEqual(['Here', 'Done', 'First']);
      const reviews = async () => (await fixture.ok('GET', `${mr}/reviewers`)).map((one: Item) => one.state);
      expect(await reviews()).toEqual(['unreviewed']);
      expect((await system.api('PUT', `${drafts}/${single.id}/publish`)).status).toBe(204);
      await soon(async () => expect(await reviews()).toEqual(['reviewed']));
      expect((await system.api('POST', `${drafts}/bulk_publish`)).status).toBe(204);
      expect(await fixture.ok('GET', drafts)).toEqual([]);
      const said = (await fixture.ok('GET', `${mr}/discussions?per_page=100`)).flatMap(({ notes }: Item) => notes);
      expect(said.filter(({ body }: Item) => /^(Here|Done|First|Really\?)$/.test(body))).toMatchObject([
        { body: 'Really?', resolved: true },
        { body: 'Done', resolved: true },
        { body: 'First', type: 'DiscussionNote' },
        { body: 'Here', type: 'DiffNote', position: { new_line: 20 } },
      ]);
    });

    it('make threads on commits', async () => {
      const sha = (await work.git(['rev-parse', 'HEAD'])).stdout.trim();
      const at = `${project}/repository/commits/${sha}/discussions`;
      const thread = await fixture.ok('POST', at, { body: 'Neat' });
      expect(thread.notes[0]).toMatchObject({ noteable_type: 'Commit', commit_id: sha, noteable_id: null });
      expect(await fixture.ok('GET', `${project}/repository/commits/topic/discussions`)).toMatchObject([
        { id: thread.id },
      ]);
    });

    it('are carried by snippets, whose files are plain text', async () => {
      const at = `${project}/snippets`;
      const made = await fixture.ok('POST', at, {
        title: 'Hello',
        visibility: 'private',
        files: [
          { file_path: 'a.txt', content: '<b>alpha</b>\n' },
          { file_path: 'dir/b.md', content: 'beta' },
        ],
      });
      expect(made).toMatchObject({ id: expect.any(Number), file_name: 'a.txt', project_id: fixture.projectId });
      const one = `${at}/${made.id}`;
      const raw = await system.api('GET', `${one}/raw`);
      expect([raw.headers.get('content-type'), raw.headers.get('x-content-type-options'), raw.text]).toEqual([
        'text/plain; charset=utf-8',
        'nosniff',
        '<b>alpha</b>\n',
      ]);
      expect((await system.api('GET', `${one}/files/main/dir%2Fb.md/raw`)).text).toBe('beta');
      expect((await fixture.ok('PUT', one, { files: [{ action: 'delete', file_path: 'a.txt' }] })).file_name).toBe(
        'dir/b.md',
      );
      expect((await fixture.ok('PUT', one, { file_name: 'c.md', content: 'gamma' })).files).toMatchObject([
        { path: 'c.md' },
      ]);
      expect((await system.api('GET', `${one}/raw`)).text).toBe('gamma');
      const note = await fixture.ok('POST', `${one}/notes`, { body: 'Neat' });
      expect(note).toMatchObject({ noteable_type: 'Snippet', noteable_id: made.id });
      expect(await fixture.ok('GET', `${one}/discussions`)).toMatchObject([{ notes: [{ id: note.id }] }]);
      const neither = await system.api('POST', at, { body: { title: 'x', visibility: 'public' } });
      expect([neither.status, neither.body]).toEqual([
        400,
        { error: 'files, content are missing, exactly one parameter must be provided' },
      ]);
      expect((await system.api('DELETE', one)).status).toBe(204);
      expect((await system.api('GET', `${one}/notes`)).body).toEqual({ message: '404 Snippet Not Found' });
    });
  });
