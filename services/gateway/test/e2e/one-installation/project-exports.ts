import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { makeFixture, makeUser, type WorkingCopy, withAvatar } from '../support/fixture';
import { type System, startSystem } from '../support/system';

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

/** Fields of records by kind that cannot be equal in two installations, and the values that may stand in their place. */
const unequal: Readonly<Record<string, readonly string[]>> = {
  // Ids mean nothing elsewhere.
  snippets: ['id'],
  notes: ['id', 'snippet'],
  snippet_emoji: ['on'],
  note_emoji: ['on'],
};

/** What of an archive another one has to have as well, by entry kind. */
function comparable(entries: Map<string, Buffer>): Record<string, Item[]> {
  const kinds = new Set([...entries.keys()].flatMap((name) => /^records\/([a-z_]+)\//.exec(name)?.[1] ?? []));
  return Object.fromEntries(
    [...kinds].map((kind) => [
      kind,
      recordsIn(entries, kind).map((record) => {
        for (const field of unequal[kind] ?? []) delete record[field];
        for (const event of record.events ?? []) delete event.id;
        // Who imports is a member of the new project since then.
        if (kind === 'members' && record.username === 'root') delete record.created_at;
        return record;
      }),
    ]),
  );
}

/** What an archive has of files that texts link to. */
const uploadsIn = (entries: Map<string, Buffer>): Map<string, string> =>
  new Map(
    [...entries]
      .filter(([name]) => name.startsWith('uploads/'))
      .map(([name, content]) => [name, content.toString('base64')]),
  );

const recordsIn = (entries: Map<string, Buffer>, kind: string): Item[] =>
  partsOf(entries, `records/${kind}`)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line, (_, value) => instants(value)));

function unpack(archive: Buffer, folder: string): Map<string, Buffer> {
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', '-', '-C', folder], { input: archive });
  return filesBelow(folder);
}

/** Exports a project; its archive. */
async function exported(system: System, project: string): Promise<Buffer> {
  const headers = { 'PRIVATE-TOKEN': system.rootToken };
  expect((await system.api('POST', `${project}/export`)).status).toBe(202);
  await eventually(
    async () =>
      expect((await system.api('GET', `${project}/export`)).body).toMatchObject({ export_status: 'finished' }),
    { within: 30_000, every: 200 },
  );
  const reply = await fetch(`${system.url}/api/v4${project}/export/download`, { headers });
  return Buffer.from(await reply.arrayBuffer());
}

/** Imports an archive into an installation; the project. */
async function imported(system: System, archive: Buffer, path: string): Promise<Item> {
  const form = new FormData();
  form.append('path', path);
  form.append('file', new Blob([archive]), 'archive.tar.gz');
  const headers = { 'PRIVATE-TOKEN': system.rootToken };
  const reply = await fetch(`${system.url}/api/v4/projects/import`, { method: 'POST', headers, body: form });
  const project = (await reply.json()) as Item;
  expect([reply.status, project]).toEqual([
    201,
    expect.objectContaining({ import_type: 'gitlab_project', path, import_error: null }),
  ]);
  await eventually(
    async () => {
      const { body } = await system.api('GET', `/projects/${project.id}/import`);
      expect(body).toMatchObject({ import_status: 'finished', import_error: null });
    },
    { within: 60_000, every: 200 },
  );
  return project;
}

/** Ids, how a project came, what follows from who asks, and how a merge request was set to be merged: equal in no two projects. */
const ownFields = new Set([
  ...['id', '_links', 'links', 'permissions', 'namespace', 'owner', 'import_status', 'import_type', 'imported'],
  ...['imported_from', 'last_activity_at', 'updated_at', 'should_remove_source_branch'],
]);

/**
 * What the API shows of an object where it came in as it shows it where it was: people by username, times as instants, addresses
 * from behind that of the installation and the project's id.
 */
function shownAlike(value: Item, system: System, id: number): Item {
  if (typeof value === 'string')
    return instants(
      value
        .replaceAll(system.url, '')
        .replaceAll(new URL(system.url).host, '')
        .replaceAll(`/-/project/${id}/`, '/')
        .replaceAll(`/projects/${id}/`, '/projects/')
        .replaceAll(`/avatar/${id}/`, '/avatar/'),
    );
  if (Array.isArray(value)) return value.map((one) => shownAlike(one, system, id));
  if (value === null || typeof value !== 'object') return value;
  if (typeof value.username === 'string') return value.username;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name === 'avatar_url' || !(ownFields.has(name) || /_(id|url)$/.test(name)))
      .map(([name, one]) => [name, shownAlike(one, system, id)]),
  );
}

/** Below a project, what it is compared by. */
const compared = [
  ...['', '/issues', '/merge_requests', '/labels', '/milestones', '/releases', '/environments', '/protected_branches'],
  ...['/protected_tags', '/snippets', '/uploads'],
  ...['/issues/1', '/merge_requests/1'].flatMap((one) =>
    ['', '/participants', '/notes', '/discussions', '/award_emoji'].map((below) => `${one}${below}`),
  ),
  ...['/context_commits', '/reviewers', '/approvals'].map((below) => `/merge_requests/1${below}`),
];

/** What the API shows of a project, by path. */
const shownOf = async (system: System, id: number): Promise<Item> =>
  Object.fromEntries(
    await Promise.all(
      compared.map(async (below) => {
        const { status, body } = await system.api('GET', `/projects/${id}${below}`);
        return [below, [status, shownAlike(body, system, id)]];
      }),
    ),
  );

/** Refs of the repository of an archive, and of its wiki. */
const refsOf = async (work: WorkingCopy, entries: Map<string, Buffer>, file: string): Promise<string[]> => {
  const found: string[] = [];
  for (const bundle of ['repository.bundle', 'wiki.bundle']) {
    writeFileSync(file, partsOf(entries, bundle));
    found.push((await work.git(['ls-remote', file])).stdout);
  }
  return found;
};

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
      const { stdout: remote } = await work.git(['remote', 'get-url', 'origin']);
      await work.git(['push', '-q', remote.trim().replace(/\.git$/, '.wiki.git'), 'topic:pages']);
      const mr = await ok('POST', `${project}/merge_requests`, {
        ...{
          source_branch: 'topic',
          target_branch: 'main',
          title: 'Topic',
          description: `Closes #${issue.iid}`,
          labels: 'bug',
          reviewer_ids: [reviewer.id],
        },
        ...{ assignee_ids: [reviewer.id], milestone_id: milestone.id, remove_source_branch: true },
      });
      const at = `${project}/merge_requests/${mr.iid}`;
      await ok('POST', `${at}/approve`, {}, reviewer.token);
      const branch = await ok('POST', `${project}/protected_branches`, {
        ...{ name: 'release/*', push_access_level: 0, merge_access_level: 30, allow_force_push: true },
      });
      await ok('PATCH', `${project}/protected_branches/main`, { allow_force_push: true });
      await ok('POST', `${project}/protected_tags`, { name: 'v*', create_access_level: 30 });
      const rule = await ok('POST', `${project}/approval_rules`, {
        ...{ name: 'Checkers', approvals_required: 1, user_ids: [reviewer.id], protected_branch_ids: [branch.id] },
      });
      await ok('POST', `${at}/approval_rules`, {
        ...{ name: 'Checkers of this', approvals_required: 1, approval_project_rule_id: rule.id },
      });
      for (const place of [at, `${project}/issues/${issue.iid}`]) {
        await ok('POST', `${place}/add_spent_time`, { duration: '1h', summary: 'Work' }, reviewer.token);
        await ok('POST', `${place}/award_emoji`, { name: 'thumbsup' }, reviewer.token);
      }
      await ok('PUT', `${project}/issues/${issue.iid}`, { remove_labels: 'bug' });
      await ok('PUT', `${project}/issues/${issue.iid}`, { add_labels: 'bug' });
      const said = await ok(
        'POST',
        `${project}/issues/${issue.iid}/notes`,
        { body: 'Said', internal: true },
        reviewer.token,
      );
      await ok('POST', `${project}/issues/${issue.iid}/notes/${said.id}/award_emoji`, { name: 'rocket' });
      const { diff_refs: refs } = await ok('GET', at);
      const position = { ...refs, position_type: 'text', new_path: 'topic.txt', new_line: 1 };
      const thread = await ok('POST', `${at}/discussions`, { body: 'Here', position }, reviewer.token);
      const suggesting = '```suggestion\nBetter\n```';
      await ok('POST', `${at}/discussions`, { body: suggesting, position }, reviewer.token);
      await ok('POST', `${at}/context_commits`, { commits: [fixture.base] });
      await ok('PUT', `${at}/discussions/${thread.id}?resolved=true`);
      await eventually(() => ok('PUT', `${at}/merge`), { within: 30_000, every: 200 });
      const snippet = await ok('POST', `${project}/snippets`, {
        ...{ title: 'S', visibility: 'public', files: [{ file_path: 'a/b.txt', content: 'x' }] },
      });
      await ok('POST', `${project}/snippets/${snippet.id}/notes`, { body: 'On a snippet' });
      await ok('POST', `${project}/snippets/${snippet.id}/award_emoji`, { name: 'heart' });
      const sha = await fixture.remoteSha('refs/heads/main');
      await ok('POST', `${project}/repository/commits/${sha}/discussions`, { body: 'On a commit' });
      await ok('POST', `${project}/releases`, {
        ...{ tag_name: 'v1', ref: 'main', description: 'First', milestones: ['v1'] },
        assets: { links: [{ name: 'Site', url: 'https://example.com/' }] },
      });

      const environment = await ok('POST', `${project}/environments`, {
        ...{ name: 'production', description: 'Live', external_url: 'https://example.com', tier: 'production' },
      });
      await ok('POST', `${project}/deployments`, {
        environment: 'production',
        sha,
        ref: 'main',
        tag: false,
        status: 'success',
      });
      const review = { environment: 'review/topic', sha, ref: 'main', tag: false };
      for (const status of ['failed', 'running']) await ok('POST', `${project}/deployments`, { ...review, status });

      const form = new FormData();
      const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(3 << 20, 'pixels')]);
      form.set('file', new Blob([picture]), 'disk load.png');
      const headers = { 'PRIVATE-TOKEN': reviewer.token };
      const address = `${started().url}/api/v4${project}/uploads`;
      const upload = (await (await fetch(address, { method: 'POST', headers, body: form })).json()) as Item;
      // As texts have it that name the project, beside those that do not.
      const absolute = `${started().url}${upload.full_path}`;
      await ok('POST', `${project}/issues/${issue.iid}/notes`, { body: `${upload.markdown} and ${absolute}` });

      await eventually(async () =>
        expect((await fixture.all(`${project}/issues/${issue.iid}/notes`)).map(({ body }) => body)).toContain(
          `mentioned in merge request !${mr.iid}`,
        ),
      );
      await withAvatar(started(), project);

      const archive = await exported(started(), project);
      const shownHere = await shownOf(started(), fixture.projectId);
      const entries = unpack(archive, join(folder, 'unpacked'));
      const records = (kind: string): Item[] => recordsIn(entries, kind);

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
      const onWork = records('notes').filter(({ noteable_iid: iid }) => iid !== null);
      expect(onWork).toMatchObject(notes.sort(byId).map((one) => named(one, noteFields)));
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
      expect(records('protected_branches')).toEqual([
        { name: 'main', push_access_level: 40, merge_access_level: 40, allow_force_push: true },
        { name: 'release/*', push_access_level: 0, merge_access_level: 30, allow_force_push: true },
      ]);
      expect(records('protected_tags')).toEqual([{ name: 'v*', create_access_level: 30 }]);
      const ruled = { rule_type: 'regular', approvals_required: 1, users: ['exportreviewer'], groups: [] };
      expect(records('approval_rules')).toMatchObject([
        { ...ruled, name: 'Checkers', merge_request_iid: null, source: null, protected_branches: ['release/*'] },
        { ...ruled, name: 'Checkers of this', merge_request_iid: mr.iid, source: 'Checkers', protected_branches: [] },
      ]);
      for (const { time_logs: logs } of [exportedIssue, exportedMr])
        expect(logs).toMatchObject([{ user: 'exportreviewer', time_spent: 3_600, summary: 'Work' }]);
      const eventFields = ['created_at', 'user', 'action'];
      for (const [kind, place, shown] of [
        ['issue_events', `${project}/issues/${issue.iid}`, 3],
        ['merge_request_events', at, 1],
      ] as const) {
        const events = await ok('GET', `${place}/resource_label_events`);
        const [{ events: exported }] = records(kind) as [Item];
        expect(exported.filter((one: Item) => one.kind === 'label')).toMatchObject(
          events.map((one: Item) => ({ ...named(one, eventFields), title: 'bug' })),
        );
        expect(events).toHaveLength(shown);
      }
      const reaction = (name: string, user: string) => [{ award_emoji: [{ name, user }] }];
      expect(records('issue_emoji')).toMatchObject(reaction('thumbsup', 'exportreviewer'));
      expect(records('merge_request_emoji')).toMatchObject(reaction('thumbsup', 'exportreviewer'));
      expect(records('snippet_emoji')).toMatchObject(reaction('heart', 'root'));
      expect(records('note_emoji')).toMatchObject(reaction('rocket', 'root'));
      const live = ['name', 'description', 'external_url', 'tier', 'state', 'auto_stop_at', 'created_at', 'updated_at'];
      const shownEnvironment = await ok('GET', `${project}/environments/${environment.id}`);
      expect(records('environments')).toMatchObject([named(shownEnvironment, live), { name: 'review/topic' }]);
      const deployed = ['iid', 'ref', 'sha', 'status', 'user', 'created_at', 'updated_at'];
      expect(records('deployments')).toMatchObject([
        {
          ...named(shownEnvironment.last_deployment, deployed),
          environment: 'production',
          last: true,
          merge_request_iids: [1],
        },
        { environment: 'review/topic', status: 'failed', last: false, finished_at: expect.any(Number) },
        { environment: 'review/topic', status: 'running', last: false, finished_at: null },
      ]);
      expect(records('releases')).toMatchObject([{ tag: 'v1', description: 'First', author: 'root' }]);
      expect(JSON.parse(entries.get('end.json')?.toString() ?? '').records).toMatchObject({
        ...{ project: 1, members: 2, labels: 1, milestones: 1, issues: 1, merge_requests: 1, landing_receipts: 0 },
        ...{ notes: notes.length + 2, snippets: 1, releases: 1 },
      });
      const [shownUpload] = await ok('GET', `${project}/uploads`);
      expect(
        JSON.parse(entries.get('uploads/000001/record.json')?.toString() ?? '', (_, value) => instants(value)),
      ).toEqual({
        ...{ secret: upload.url.split('/')[2], file_name: shownUpload.filename, size: shownUpload.size },
        ...{ uploader: 'exportreviewer', created_at: instants(shownUpload.created_at) },
      });
      expect(entries.get('uploads/000001/content')?.equals(picture)).toBe(true);

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

      // Another installation, where others have other ids, makes the same archive of it.
      const elsewhere = await startSystem();
      try {
        for (const name of ['somebody', 'exportreviewer']) await makeUser(elsewhere, name);
        const { id } = await imported(elsewhere, archive, 'exported');
        const again = unpack(await exported(elsewhere, `/projects/${id}`), join(folder, 'again'));
        const own = comparable(again);
        const linked = own.notes?.find(({ body }) => body.includes(upload.url));
        expect(linked.body).toBe(`${upload.markdown} and ${upload.url}`);
        linked.body = `${upload.markdown} and ${absolute}`;
        expect(own).toEqual(comparable(entries));
        expect(uploadsIn(again)).toEqual(uploadsIn(entries));
        const file = await fetch(`${elsewhere.url}/-/project/${id}${upload.url}`, {
          headers: { 'PRIVATE-TOKEN': elsewhere.rootToken },
        });
        expect(Buffer.from(await file.arrayBuffer()).equals(picture)).toBe(true);
        const [code, pages] = await refsOf(work, again, join(folder, 'again.bundle'));
        expect([code, pages]).toEqual([stdout, expect.stringContaining('refs/heads/pages')]);
        expect(pages).toBe((await refsOf(work, entries, join(folder, 'first.bundle')))[1]);
        expect((await elsewhere.api('GET', `/projects/${id}/issues/1`)).body).toMatchObject({
          ...{ imported: true, imported_from: 'gitlab_project', author: { username: 'root' }, upvotes: 1 },
        });
        await eventually(async () =>
          expect((await elsewhere.api('GET', `/projects/${id}/merge_requests/1`)).body).toMatchObject({ upvotes: 1 }),
        );
        await eventually(async () =>
          expect((await elsewhere.api('GET', `/projects/${id}/merge_requests/1/closes_issues`)).body).toMatchObject([
            { iid: 1, merge_requests_count: 1 },
          ]),
        );
        await eventually(async () => expect(await shownOf(elsewhere, id)).toEqual(shownHere), {
          within: 20_000,
          every: 500,
        });
        // History notifies nobody.
        expect((await elsewhere.api('GET', '/todos')).body).toEqual([]);
      } finally {
        await elsewhere.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
