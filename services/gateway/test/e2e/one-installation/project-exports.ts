import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { makeFixture, makeUser } from '../support/fixture';
import type { System } from '../support/system';

// biome-ignore lint/suspicious/noExplicitAny: replies and records are looked into freely
type Item = any;

/** Files of a folder and below it by path, in the order of their paths. */
const filesBelow = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, readFileSync(join(folder, path))]),
  );

const partsOf = (entries: Map<string, Buffer>, folder: string): Buffer =>
  Buffer.concat([...entries].filter(([name]) => name.startsWith(`${folder}/`)).map(([, content]) => content));

/** What the API shows of an object, with the names that an export has for others; times as instants. */
const named = (shown: Item, fields: readonly string[]): Item =>
  Object.fromEntries(
    fields.map((field) => {
      const value = shown[field];
      const short = (one: Item): Item => one?.username ?? one?.title ?? one;
      return [field, instants(Array.isArray(value) ? value.map(short) : short(value))];
    }),
  );

const instants = (value: Item): Item =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).getTime() : value;

/** One installation: a project as it goes out, field by field against what the API shows of it. */
export const projectExportTests = (started: () => System): void =>
  test('an export holds a project as the API shows it, with its repository', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-export-'));
    try {
      const reviewer = await makeUser(started(), 'exportreviewer');
      const fixture = await makeFixture(started(), reviewer, 'exported', folder);
      const { ok } = fixture;
      const project = `/projects/${fixture.projectId}`;
      await ok('PUT', project, { description: 'All of it', topics: ['export'], merge_method: 'ff' });
      await ok('POST', `${project}/labels`, { name: 'bug', color: '#ff0000', priority: 3 });
      const milestone = await ok('POST', `${project}/milestones`, { title: 'v1', due_date: '2030-01-02' });
      const issue = await ok('POST', `${project}/issues`, {
        ...{ title: 'Größe', description: 'An *issue*', labels: 'bug', milestone_id: milestone.id, weight: 3 },
        ...{ assignee_ids: [reviewer.id], confidential: true, due_date: '2030-01-01' },
      });
      await ok('PUT', `${project}/issues/${issue.iid}`, { state_event: 'close' });
      const work = await fixture.workingCopy('work');
      await work.branch('topic');
      await work.push('topic');
      const mr = await ok('POST', `${project}/merge_requests`, {
        ...{
          source_branch: 'topic',
          target_branch: 'main',
          title: 'Topic',
          labels: 'bug',
          reviewer_ids: [reviewer.id],
        },
        ...{ assignee_ids: [reviewer.id], milestone_id: milestone.id, remove_source_branch: true },
      });
      const at = `${project}/merge_requests/${mr.iid}`;
      await ok('POST', `${at}/approve`, {}, reviewer.token);
      await ok('POST', `${project}/issues/${issue.iid}/notes`, { body: 'Said', internal: true }, reviewer.token);
      const { diff_refs: refs } = await ok('GET', at);
      const position = { ...refs, position_type: 'text', new_path: 'topic.txt', new_line: 1 };
      const thread = await ok('POST', `${at}/discussions`, { body: 'Here', position }, reviewer.token);
      await ok('PUT', `${at}/discussions/${thread.id}?resolved=true`);
      await eventually(() => ok('PUT', `${at}/merge`), { within: 30_000, every: 200 });
      const snippet = await ok('POST', `${project}/snippets`, {
        ...{ title: 'S', visibility: 'public', files: [{ file_path: 'a/b.txt', content: 'x' }] },
      });
      await ok('POST', `${project}/releases`, { tag_name: 'v1', ref: 'main', description: 'First' });

      await ok('POST', `${project}/export`);
      await eventually(async () => expect((await ok('GET', `${project}/export`)).export_status).toBe('finished'), {
        within: 30_000,
        every: 200,
      });
      const url = `${started().url}/api/v4${project}/export/download`;
      const reply = await fetch(url, { headers: { 'PRIVATE-TOKEN': started().rootToken } });
      const unpacked = join(folder, 'unpacked');
      mkdirSync(unpacked);
      execFileSync('tar', ['-xzf', '-', '-C', unpacked], { input: Buffer.from(await reply.arrayBuffer()) });
      const entries = filesBelow(unpacked);
      const records = (kind: string): Item[] =>
        partsOf(entries, `records/${kind}`)
          .toString()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line, (_, value) => instants(value)));

      // Field by field as the API shows it.
      const fields = [
        ...['name', 'path', 'description', 'visibility', 'default_branch', 'topics', 'merge_method', 'squash_option'],
        ...['created_at', 'issues_access_level', 'merge_requests_access_level', 'merge_trains_enabled'],
      ];
      expect(records('project')).toMatchObject([named(await ok('GET', project), fields)]);
      const members = ['username', 'name', 'access_level', 'expires_at', 'created_at'];
      expect(records('members')).toEqual(
        (await ok('GET', `${project}/members`)).map((one: Item) => named(one, members)),
      );
      expect(records('labels')).toMatchObject([
        { title: 'bug', color: '#ff0000', priority: 3, description: null, group: false },
      ]);
      const dates = ['iid', 'title', 'description', 'state', 'due_date', 'start_date', 'created_at', 'updated_at'];
      expect(records('milestones')).toEqual([
        { ...named(await ok('GET', `${project}/milestones/${milestone.id}`), dates), group: false },
      ]);
      const common = [
        ...['iid', 'title', 'description', 'state', 'author', 'assignees', 'labels', 'milestone', 'created_at'],
        ...['updated_at', 'closed_at', 'closed_by', 'discussion_locked'],
      ];
      const issueFields = [...common, 'confidential', 'issue_type', 'weight', 'due_date', 'severity', 'health_status'];
      const shownIssue = await ok('GET', `${project}/issues/${issue.iid}`);
      const [exportedIssue] = records('issues');
      expect({ ...exportedIssue, severity: exportedIssue.severity.toUpperCase() }).toMatchObject(
        named(shownIssue, issueFields),
      );
      const shownMr = await ok('GET', at);
      const [exportedMr] = records('merge_requests');
      expect(exportedMr).toMatchObject({
        ...named(shownMr, [...common, 'source_branch', 'target_branch', 'merged_at', 'merge_commit_sha', 'squash']),
        ...{ merged_by: shownMr.merge_user.username, source_sha: shownMr.sha, from_fork: false },
        ...{ reviewers: [{ username: 'exportreviewer' }], approvals: [{ username: 'exportreviewer' }] },
        diffs: [shownMr.diff_refs],
      });
      const notes = [
        ...(await fixture.all(`${at}/notes`)),
        ...(await fixture.all(`${project}/issues/${issue.iid}/notes`)),
      ];
      const noteFields = [
        'type',
        'body',
        'author',
        'system',
        'internal',
        'noteable_type',
        'noteable_iid',
        'created_at',
      ];
      const byId = (one: Item, other: Item) => one.id - other.id;
      expect(records('notes')).toMatchObject(notes.sort(byId).map((one) => named(one, noteFields)));
      const [inDiff] = records('notes').filter(({ type }) => type === 'DiffNote');
      expect(inDiff).toMatchObject({
        ...{ discussion_id: thread.id, resolved_by: 'root', resolved_at: expect.any(Number) },
        position: expect.any(Object),
      });
      expect(records('snippets')).toMatchObject([
        {
          id: snippet.id,
          title: 'S',
          visibility: 'public',
          author: 'root',
          files: [{ path: 'a/b.txt', content: 'x' }],
        },
      ]);
      expect(records('releases')).toMatchObject([{ tag: 'v1', description: 'First', author: 'root' }]);
      expect(JSON.parse(entries.get('end.json')?.toString() ?? '').records).toMatchObject({
        ...{ project: 1, members: 2, labels: 1, milestones: 1, issues: 1, merge_requests: 1, landing_receipts: 0 },
        ...{ notes: notes.length, snippets: 1, releases: 1 },
      });

      // The source branch is gone; the head of the merge request is there all the same.
      const bundle = join(folder, 'repository.bundle');
      writeFileSync(bundle, partsOf(entries, 'repository.bundle'));
      const { stdout } = await work.git(['ls-remote', bundle]);
      const heads = stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t'));
      expect(heads).toEqual(
        expect.arrayContaining([
          [await fixture.remoteSha('refs/heads/main'), 'refs/heads/main'],
          [expect.any(String), 'refs/tags/v1'],
          [shownMr.sha, `refs/merge-requests/${mr.iid}/head`],
        ]),
      );
      await work.git(['bundle', 'verify', '-q', bundle]);

      // Another one reads the project, and neither exports nor downloads it.
      await ok('PUT', `${project}/members/${reviewer.id}`, { access_level: 30 });
      for (const path of ['/export', '/export/download'])
        expect((await started().api('GET', `${project}${path}`, { token: reviewer.token })).status).toBe(403);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
