import { entity } from '@switchyard/rpc';
import { routes } from '../../../src/routes';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';
import { project } from './samples';

const licensed = {
  license_url: 'https://forge.example/group/project/-/blob/main/LICENSE',
  license: { key: 'other', name: 'Other', nickname: 'LICENSE', html_url: null, source_url: null },
};

let gateway: TestGateway;
let given: object;
beforeAll(async () => {
  // The sample is the short form of a project: with routes of its own the gateway does not compare replies.
  gateway = await startTestGateway({
    routes,
    access: () => resolved({ access: projectAccess({ id: 5, level: 50, ...given }) }),
    fakes: {
      'ProjectService/GetProject': async () => entity(project),
      'RepositoryService/GetLicense': async () => entity(licensed),
    },
  });
});
afterAll(() => gateway.close());

/** The project that is shown, and what was asked of its repository. */
async function shown(query: string, access: object = {}) {
  given = access;
  gateway.calls.length = 0;
  const { status, body } = await gateway.send('GET', `/projects/5${query}`, newToken());
  const asked = gateway.calls.filter(({ rpc }) => rpc === 'RepositoryService/GetLicense').map(({ request }) => request);
  return { status, body, asked };
}

test('a project shows its licence where it is requested', async () => {
  expect(await shown('?license=true')).toEqual({
    status: 200,
    body: { ...project, ...licensed },
    asked: [{ projectId: 5 }],
  });
});

test.each([
  ['that is not requested', '', {}],
  ['that is refused by the caller', '?license=false', {}],
  ['for a Guest of a private project', '?license=true', { level: 10 }],
  ['where the repository is closed to the caller', '?license=true', { closed: { repository: true } }],
])('a project shows no licence %s', async (_, query, access) => {
  expect(await shown(query, access)).toEqual({ status: 200, body: project, asked: [] });
});
