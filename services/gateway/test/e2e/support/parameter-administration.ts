import { fingerprintOf, newSshKey } from './administration';
import { field, on, type Row, reading } from './parameter-cases';
import type { System } from './system';

type Places = Readonly<Record<string, number>>;
type Texts = Readonly<Record<string, string>>;

/** Makes keys, tokens and variables that differ in what their parameters ask for; the fingerprints of the keys by their title. */
export async function setAdministration(system: System, { house, main, bob }: Places): Promise<Record<string, string>> {
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await system.api(method, path, { body });
    if (reply.status >= 300) throw new Error(`${method} ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const fingerprints: Record<string, string> = {};
  for (const title of ['shared', 'own']) {
    const key = newSshKey();
    await send('POST', title === 'own' ? `/projects/${main}/deploy_keys` : '/deploy_keys', { title, key });
    const own = newSshKey();
    await send('POST', '/user/keys', { title: `laptop ${title}`, key: own });
    fingerprints[`laptop ${title}`] = fingerprintOf(own);
  }
  for (const place of [`/groups/${house}`, `/projects/${main}`]) {
    for (const name of ['fresh', 'ended'])
      await send('POST', `${place}/deploy_tokens`, { name, scopes: ['read_repository'] });
    for (const scope of ['prod', 'test'])
      await send('POST', `${place}/variables`, { key: 'KEY', value: `for ${scope}`, environment_scope: scope });
  }
  await system.query('groups_admin', `update deploy_tokens set expires_at = '2020-01-01' where name = 'ended'`);
  for (const name of ['fresh', 'ended']) {
    const { id } = await send('POST', `/users/${bob}/impersonation_tokens`, { name, scopes: ['read_api'] });
    if (name === 'ended') await send('DELETE', `/users/${bob}/impersonation_tokens/${id}`);
  }
  return fingerprints;
}

/** Rows of keys, tokens and variables. */
export function administrationRows({ ids, fingerprints }: { ids: Places; fingerprints: Texts }): Row[] {
  const name = (token: { name: string }) => token.name;
  const deployTokens = (operation: string, path: string, ...cases: string[]): Row => ({
    operation,
    path,
    name,
    proofs: { active: on(...cases) },
  });
  const variable = (operation: string, place: string): Row => ({
    operation,
    path: `${place}/variables/KEY`,
    proofs: {
      'filter[environment_scope]': reading(field('value'), 'prod => for prod', 'test => for test'),
    },
  });
  const [house, main] = [`/groups/${ids.house}`, `/projects/${ids.main}`];
  const of = ['true => fresh', 'false => ended'];
  return [
    {
      operation: 'GET /deploy_keys',
      path: '/deploy_keys',
      name: ({ title }) => title,
      proofs: { public: on('true => shared', 'false => own shared') },
    },
    {
      operation: 'GET /keys',
      path: '/keys',
      proofs: {
        fingerprint: reading(
          field('title'),
          ...Object.entries(fingerprints).map(([title, fingerprint]) => `${fingerprint} => ${title}`),
        ),
      },
    },
    deployTokens('GET /deploy_tokens', '/deploy_tokens', 'true => fresh fresh', 'false => ended ended'),
    deployTokens('GET /groups/:id/deploy_tokens', `${house}/deploy_tokens`, ...of),
    deployTokens('GET /projects/:id/deploy_tokens', `${main}/deploy_tokens`, ...of),
    {
      operation: 'GET /users/:user_id/impersonation_tokens',
      path: `/users/${ids.bob}/impersonation_tokens`,
      name,
      proofs: { state: on('active => fresh', 'inactive => ended') },
    },
    variable('GET /groups/:id/variables/:key', house),
    variable('GET /projects/:id/variables/:key', main),
    {
      operation: 'GET /projects/:id/pipelines/:pipeline_id/ci_variables',
      path: `${main}/pipelines/${ids.blueRun}/ci_variables`,
      proofs: { environment: reading(field('value'), 'prod => for prod', 'test => for test') },
    },
  ];
}
