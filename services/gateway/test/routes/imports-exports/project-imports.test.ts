import { notFound } from '@switchyard/errors';
import { entity, page } from '@switchyard/rpc';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const shown = {
  ...{ id: 7, name: 'things', full_path: '/acme/things', full_name: 'Acme / things', import_source: 'octo/things' },
  ...{ import_status: 'scheduled', human_import_status_name: 'scheduled', provider_link: '/octo/things' },
};
const begun = { ...shown, refs_url: '/acme/things/refs', relation_type: null, forked: false };
const canceled = { ...shown, import_status: 'canceled', human_import_status_name: 'canceled' };

let gateway: TestGateway;
let level = 50;
let users = 100;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) => {
      // Each token is a user of its own: the limit counts by user.
      users += 1;
      if (target?.$case === 'project' && target.value === '404') throw notFound('Project');
      return resolved({
        actor: actor({ userId: users }),
        access: projectAccess({ id: 7, level, visibility: 'public' }),
      });
    },
    fakes: {
      'ProjectImportService/StartForgeaImport': async () => entity(begun),
      'ProjectImportService/CancelForgeaImport': async () => entity(canceled),
      'ProjectImportService/RefreshProjectImport': async () => entity(begun),
      'ProjectExportService/CreateProjectExport': async () => entity({ message: '202 Accepted' }, 202),
      'ImportPlaceholderService/ListImportPlaceholders': async () =>
        page([placeholder], { keyset: false, page: 1, perPage: 1, total: 1, hasNext: false }),
      'ImportPlaceholderService/ReassignImportPlaceholder': async () => entity(placeholder),
      'ImportPlaceholderService/AcceptImportPlaceholder': async () => entity(placeholder),
      'ImportPlaceholderService/RejectImportPlaceholder': async () => entity(placeholder),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  level = 50;
});

const wanted = { personal_access_token: ' t ', repo_id: '1', target_namespace: 'acme' };
const send = (path: string, body: object, token = `glpat-${path}-${level}`) =>
  gateway.send('POST', path, { token, body });

it.each(['forgea', 'github'])(
  'begins an import under the name %s, with both names of its parameters (G-13-1)',
  async (name) => {
    for (const spelling of ['forgea', 'github']) {
      const reply = await send(`/import/${name}`, { ...wanted, [`${spelling}_hostname`]: 'https://forge.example' });
      expect([reply.status, reply.body]).toEqual([201, begun]);
      expect(gateway.calls.at(-1)?.request).toEqual({
        ...{
          personalAccessToken: 't',
          repoId: 1,
          newName: '',
          targetNamespace: 'acme',
          hostname: 'https://forge.example',
        },
        ...{ timeoutStrategy: 'pessimistic', paginationLimit: 100, collaboratorsImport: false },
        attachmentsImport: false,
      });
    }
  },
);

it('says all that is wrong with parameters at once, under the key error (G-4.19-7, G-4.19-9)', async () => {
  const reply = await send('/import/forgea', {
    ...{ personal_access_token: 'a\nb', repo_id: 'x', timeout_strategy: 'slow', pagination_limit: 101 },
    ...{ forgea_hostname: 'a', github_hostname: 'b'.repeat(2_049) },
  });
  expect([reply.status, reply.body]).toEqual([
    400,
    {
      error:
        'personal_access_token is invalid, repo_id is invalid, target_namespace is missing, github_hostname is too long (maximum is 2048 characters), timeout_strategy does not have a valid value, pagination_limit does not have a valid value, forgea_hostname, github_hostname are mutually exclusive',
    },
  ]);
});

it('refuses a stage that it does not have, and takes it as false', async () => {
  const all = (value: boolean) => ({
    optional_stages: { single_endpoint_issue_events_import: value, single_endpoint_notes_import: true },
  });
  const refused = await send('/import/forgea', { ...wanted, ...all(true) }, 'glpat-chooser');
  expect([refused.status, refused.body]).toEqual([
    400,
    { error: 'optional_stages[single_endpoint_issue_events_import] is not supported except as false' },
  ]);
  expect((await send('/import/forgea', { ...wanted, ...all(false) }, 'glpat-chooser')).status).toBe(201);
  expect(gateway.calls.at(-1)?.request).toMatchObject({ collaboratorsImport: false, attachmentsImport: false });
  const chosen = { optional_stages: { collaborators_import: true, attachments_import: true } };
  expect((await send('/import/forgea', { ...wanted, ...chosen }, 'glpat-chooser')).status).toBe(201);
  expect(gateway.calls.at(-1)?.request).toMatchObject({ collaboratorsImport: true, attachmentsImport: true });
});

it('takes six imports a minute of a user, and says so under the key errors (G-4.19-1)', async () => {
  const replies = [];
  for (let sent = 0; sent < 7; sent += 1) replies.push(await send('/import/forgea', wanted, 'glpat-eager'));
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201, 429]);
  expect(replies.at(-1)?.body).toEqual({
    errors: 'This endpoint has been requested too many times. Try again later.',
  });
  expect(replies.at(-1)?.headers.get('retry-after')).toBe('60');
});

it('cancels for Owners alone (G-4.19-2)', async () => {
  const reply = await send('/import/forgea/cancel', { project_id: 7 });
  expect([reply.status, reply.body]).toEqual([200, canceled]);
  level = 40;
  const refused = await send('/import/github/cancel', { project_id: 7 });
  expect([refused.status, refused.body]).toEqual([403, { message: 'Unauthorized access' }]);
  expect((await send('/import/github/cancel', {})).body).toEqual({ error: 'project_id is missing' });
});

it('refreshes for Maintainers, with the credentials of each family, six times a minute with imports (ADR 73)', async () => {
  const path = '/projects/7/import/refresh';
  const none = { projectId: 7, personalAccessToken: '', username: '', password: '', serverUsername: '' };
  level = 40;
  for (const [body, request] of [
    [{ personal_access_token: ' t ' }, { personalAccessToken: 't' }],
    [
      { bitbucket_email: 'a@b.c', forgeb_api_token: 'p' },
      { username: 'a@b.c', password: 'p' },
    ],
    [
      { forgeb_server_username: 'u', personal_access_token: 't' },
      { serverUsername: 'u', personalAccessToken: 't' },
    ],
  ] as const) {
    const reply = await send(path, body, 'glpat-again');
    expect([reply.status, reply.body]).toEqual([201, begun]);
    expect(gateway.calls.at(-1)?.request).toEqual({ ...none, ...request });
  }
  const twice = await send(path, { forgeb_username: 'a', forgeb_email: 'b' }, 'glpat-again');
  expect([twice.status, twice.body]).toEqual([400, { error: 'forgeb_username, forgeb_email are mutually exclusive' }]);
  const replies = [];
  for (let sent = 0; sent < 4; sent += 1) replies.push((await send(path, {}, 'glpat-again')).status);
  expect(replies).toContain(429);
  level = 30;
  expect((await send(path, {})).status).toBe(403);
});

const placeholder = {
  ...{ id: 3, state: 'pending', import_type: 'github', source_hostname: null, source_user_identifier: '1' },
  ...{ source_username: 'octocat', source_name: null, placeholder_user: null, reassign_to_user: null },
  ...{ reassigned_by_user: null, created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:04:05.678Z' },
};

it('lists placeholders, reassigns them as an Owner, and answers for who was asked (ADR 67)', async () => {
  const root = '/projects/7/import/placeholders';
  const listed = await gateway.send('GET', `${root}?state=pending&per_page=1`, { token: 'glpat-list' });
  expect([listed.status, listed.body]).toEqual([200, [placeholder]]);
  expect(gateway.calls.at(-1)?.request).toMatchObject({ projectId: 7, state: 'pending' });
  const reply = await send(`${root}/3/reassign`, { user_id: '6' });
  expect([reply.status, reply.body]).toEqual([200, placeholder]);
  expect(gateway.calls.at(-1)?.request).toEqual({ projectId: 7, placeholderId: 3, userId: 6 });
  expect((await send(`${root}/3/reassign`, {})).body).toEqual({ error: 'user_id is missing' });
  level = 40;
  expect((await send(`${root}/3/reassign`, { user_id: 6 })).status).toBe(403);
  for (const answer of ['accept', 'reject']) {
    expect((await send(`${root}/3/${answer}`, {})).status).toBe(200);
    expect(gateway.calls.at(-1)?.request).toEqual({ projectId: 7, placeholderId: 3, projectPath: '' });
    const named = await send(`/projects/acme%2Fthings/import/placeholders/3/${answer}`, {}, 'glpat-asked');
    expect(named.status).toBe(200);
    expect(gateway.calls.at(-1)?.request).toEqual({ projectId: 0, placeholderId: 3, projectPath: 'acme/things' });
  }
});

it('begins an export with a description for the project, and uploads it nowhere', async () => {
  const path = '/projects/7/export';
  expect((await send(path, { description: 'Moved' })).status).toBe(202);
  expect(gateway.calls.at(-1)?.request).toEqual({ projectId: 7, description: 'Moved' });
  expect((await send(path, {})).status).toBe(202);
  expect(gateway.calls.at(-1)?.request).toEqual({ projectId: 7, description: '' });
  const before = gateway.calls.length;
  for (const upload of [{ url: 'https://files.example' }, { http_method: 'PUT' }]) {
    const reply = await send(path, { description: 'x'.repeat(2_001), upload });
    expect([reply.status, reply.body]).toEqual([
      400,
      { error: 'description is too long (maximum is 2000 characters), upload is not supported' },
    ]);
  }
  expect(gateway.calls).toHaveLength(before);
});
