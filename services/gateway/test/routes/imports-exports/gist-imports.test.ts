import { nothing } from '@switchyard/rpc';
import { actor, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => resolved({ actor: actor({ userId: 5 }) }),
    fakes: { 'GistImportService/StartGistImport': async () => nothing(202) },
  });
});
afterAll(() => gateway.close());

const send = (path: string, body: object) => gateway.send('POST', path, { token: 'glpat-one', body });

it('begins an import under both names of the forge (G-4.19-3, G-13-1)', async () => {
  for (const name of ['forgea', 'github'])
    for (const spelling of ['forgea', 'github']) {
      const given = { personal_access_token: ' t ', [`${spelling}_hostname`]: 'https://forge.example' };
      const reply = await send(`/import/${name}/gists`, given);
      expect([reply.status, reply.body]).toEqual([202, undefined]);
      const request = { personalAccessToken: 't', hostname: 'https://forge.example' };
      expect(gateway.calls.at(-1)?.request).toEqual(request);
    }
  const refused = await send('/import/forgea/gists', {
    ...{ personal_access_token: 'a\nb', forgea_hostname: 'a', github_hostname: 'b' },
  });
  expect([refused.status, refused.body]).toEqual([
    400,
    { error: 'personal_access_token is invalid, forgea_hostname, github_hostname are mutually exclusive' },
  ]);
  expect((await send('/import/forgea/gists', {})).body).toEqual({ error: 'personal_access_token is missing' });
});
