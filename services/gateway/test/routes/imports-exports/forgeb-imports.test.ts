import { entity } from '@switchyard/rpc';
import { actor, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const begun = {
  ...{ id: 7, name: 'things', full_path: '/acme/things', full_name: 'Acme / things', import_source: 'octo/things' },
  ...{ import_status: 'scheduled', human_import_status_name: 'scheduled', provider_link: '/octo/things' },
  ...{ refs_url: '/acme/things/refs', relation_type: null, forked: false },
};

let gateway: TestGateway;
let users = 100;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => {
      // Each token is a user of its own: the limit counts by user.
      users += 1;
      return resolved({ actor: actor({ userId: users }) });
    },
    fakes: {
      'ProjectImportService/StartForgeaImport': async () => entity(begun),
      'ProjectImportService/StartForgebImport': async () => entity(begun),
      'ProjectImportService/StartForgebServerImport': async () => entity(begun),
    },
  });
});
afterAll(() => gateway.close());

const send = (path: string, body: object, token = `glpat-${path}`) => gateway.send('POST', path, { token, body });

const cloud = (username: string, password: string) => ({
  ...{ [username]: 'octocat', [password]: ' p ', repo_path: 'octo/things', target_namespace: 'acme' },
});
const server = (spelling: string) => ({
  ...{ personal_access_token: 't', [`${spelling}_server_url`]: 'https://forge.example' },
  ...{ [`${spelling}_server_username`]: 'octocat', [`${spelling}_server_project`]: 'OCTO' },
  [`${spelling}_server_repo`]: 'things',
});

it.each(['forgeb', 'bitbucket'])(
  'begins imports under the name %s, with both names of their parameters (G-4.19-4, G-4.19-5, G-4.19-10)',
  async (name) => {
    for (const spelling of ['forgeb', 'bitbucket']) {
      for (const [user, secret] of [
        [`${spelling}_username`, `${spelling}_app_password`],
        [`${spelling}_email`, `${spelling}_api_token`],
      ] as const) {
        const reply = await send(`/import/${name}`, cloud(user, secret), `glpat-${name}-${user}`);
        expect([reply.status, reply.body]).toEqual([201, begun]);
        expect(gateway.calls.at(-1)?.request).toEqual({
          ...{ username: 'octocat', password: 'p', repoPath: 'octo/things', targetNamespace: 'acme', newName: '' },
          attachmentsImport: false,
        });
      }
      const chosen = { optional_stages: { attachments_import: true } };
      const reply = await send(`/import/${name}_server`, { ...server(spelling), ...chosen });
      expect([reply.status, reply.body]).toEqual([201, begun]);
      expect(gateway.calls.at(-1)?.request).toEqual({
        ...{ serverUrl: 'https://forge.example', username: 'octocat', personalAccessToken: 't', project: 'OCTO' },
        ...{ repo: 'things', targetNamespace: '', newName: '', timeoutStrategy: 'pessimistic' },
        attachmentsImport: true,
      });
    }
  },
);

it('says all that is wrong with parameters at once, under the key error (G-4.19-7)', async () => {
  const refused = await send('/import/forgeb', {
    ...{ forgeb_username: 'a', bitbucket_email: 'a@example.com', forgeb_app_password: 'a\nb' },
  });
  expect([refused.status, refused.body]).toEqual([
    400,
    {
      error:
        'repo_path is missing, target_namespace is missing, forgeb_app_password is invalid, forgeb_username, bitbucket_email are mutually exclusive',
    },
  ]);
  const empty = await send('/import/forgeb_server', { timeout_strategy: 'slow' });
  expect(empty.body).toEqual({
    error: [
      'personal_access_token is missing',
      'timeout_strategy does not have a valid value',
      ...['url', 'username', 'project', 'repo'].map(
        (one) => `forgeb_server_${one}, bitbucket_server_${one} are missing, exactly one parameter must be provided`,
      ),
    ].join(', '),
  });
});

it('imports of all forges together are six a minute of a user, in the form of each family', async () => {
  const token = 'glpat-eager';
  const forgea = { personal_access_token: 't', repo_id: 1, target_namespace: 'acme' };
  const replies = [];
  for (let round = 0; round < 2; round += 1) {
    replies.push(await send('/import/forgea', forgea, token));
    replies.push(await send('/import/forgeb', cloud('forgeb_username', 'forgeb_app_password'), token));
    replies.push(await send('/import/bitbucket_server', server('forgeb'), token));
  }
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
  const text = 'This endpoint has been requested too many times. Try again later.';
  const refused = await send('/import/forgeb_server', server('forgeb'), token);
  expect([refused.status, refused.body]).toEqual([429, { message: { error: text } }]);
  expect((await send('/import/forgea', forgea, token)).body).toEqual({ errors: text });
});
