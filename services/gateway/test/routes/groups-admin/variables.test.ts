import { conflict } from '@switchyard/errors';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, json, page } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const instanceVariable = {
  variable_type: 'env_var',
  key: 'HOST',
  value: 'host.example.com',
  protected: false,
  masked: false,
  raw: false,
  description: null,
};
const variable = { ...instanceVariable, hidden: false, environment_scope: '*' };

let gateway: TestGateway;
let refused: Error | undefined;

type Sent = { parent: { groupId: number; projectId: number } };
const shownFor = ({ parent }: Sent) => (parent.groupId + parent.projectId === 0 ? instanceVariable : variable);
const answer = async (request: Sent) => {
  if (refused !== undefined) throw refused;
  return entity(shownFor(request));
};

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) =>
      resolved({
        actor: actor({ admin: true }),
        access:
          target?.$case === 'group'
            ? { ...projectAccess({ level: 50 }), kind: Access_Kind.KIND_GROUP, id: 3 }
            : target === undefined
              ? undefined
              : projectAccess({ id: 5, level: 40 }),
      }),
    fakes: {
      'VariableService/ListVariables': async (request: Sent) =>
        page([shownFor(request)], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
      'VariableService/GetVariable': answer,
      'VariableService/CreateVariable': answer,
      'VariableService/UpdateVariable': answer,
      'VariableService/DeleteVariable': async () => json(Buffer.alloc(0), 204),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  refused = undefined;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.findLast((call) => call.rpc === `VariableService/${rpc}`)?.request;

describe.each([
  ['/groups/3/variables', { groupId: 3, projectId: 0 }],
  ['/projects/5/variables', { groupId: 0, projectId: 5 }],
  ['/admin/ci/variables', { groupId: 0, projectId: 0 }],
])('%s', (path, parent) => {
  const hasScopes = parent.groupId + parent.projectId > 0;

  it('200, 201, 204: list, get, create, change, delete', async () => {
    expect((await gateway.send('GET', path, newToken())).status).toBe(200);
    expect(asked('ListVariables')).toMatchObject({ parent });
    expect((await gateway.send('GET', `${path}/HOST`, newToken())).body).toEqual(
      hasScopes ? variable : instanceVariable,
    );
    expect(asked('GetVariable')).toEqual({ parent, key: 'HOST', environmentScope: undefined });
    const body = { key: 'HOST', value: '', masked: 'true', description: '' };
    expect((await gateway.send('POST', path, { ...newToken(), body })).status).toBe(201);
    expect(asked('CreateVariable')).toEqual({
      parent,
      key: 'HOST',
      value: '',
      variableType: 'env_var',
      isProtected: false,
      masked: true,
      maskedAndHidden: false,
      raw: false,
      environmentScope: '',
      description: undefined,
    });
    expect((await gateway.send('PUT', `${path}/HOST`, { ...newToken(), body: { description: null } })).status).toBe(
      200,
    );
    expect(asked('UpdateVariable')).toMatchObject({ parent, key: 'HOST', removeDescription: true });
    const since = { 'If-Unmodified-Since': 'Sat, 31 Jan 2026 08:39:14 GMT' };
    const removed = await gateway.send('DELETE', `${path}/HOST`, { ...newToken(), headers: since });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(asked('DeleteVariable')).toMatchObject({ parent, ifUnmodifiedSince: new Date('2026-01-31T08:39:14Z') });
  });

  it('400: what is missing and what no variable can be, at once', async () => {
    expect((await gateway.send('POST', path, { ...newToken(), body: {} })).body).toEqual({
      error: 'key is missing, value is missing',
    });
    const body = { key: 'A\u0000', value: '\ud800', variable_type: 'secret', protected: 'perhaps' };
    const sent = await gateway.send('POST', path, { ...newToken(), body });
    expect([sent.status, sent.body]).toEqual([
      400,
      { error: 'key is invalid, value is invalid, variable_type does not have a valid value, protected is invalid' },
    ]);
    expect(gateway.calls.filter(({ rpc }) => rpc.startsWith('Variable'))).toEqual([]);
  });
});

it.each(['/groups/3/variables', '/projects/5/variables'])('%s: a filter names the scope', async (path) => {
  const query = 'filter%5Benvironment_scope%5D=review%2F*';
  expect((await gateway.send('GET', `${path}/HOST?${query}`, newToken())).status).toBe(200);
  expect(asked('GetVariable')).toMatchObject({ environmentScope: 'review/*' });
  const body = { filter: { environment_scope: 'review/*' }, environment_scope: 'production', masked_and_hidden: false };
  expect((await gateway.send('PUT', `${path}/HOST`, { ...newToken(), body })).status).toBe(200);
  expect(asked('UpdateVariable')).toMatchObject({
    ofScope: 'review/*',
    environmentScope: 'production',
    maskedAndHidden: false,
  });
  expect((await gateway.send('DELETE', `${path}/HOST?${query}`, newToken())).status).toBe(204);
  expect(asked('DeleteVariable')).toMatchObject({ environmentScope: 'review/*' });
  const text = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";
  refused = conflict(text);
  const several = await gateway.send('GET', `${path}/HOST`, newToken());
  expect([several.status, several.body]).toEqual([409, { message: text }]);
});

it('variables of the instance have no scopes and are never hidden', async () => {
  const body = { key: 'HOST', value: 'v', environment_scope: 'production', masked_and_hidden: true };
  expect((await gateway.send('POST', '/admin/ci/variables', { ...newToken(), body })).status).toBe(201);
  expect(asked('CreateVariable')).toMatchObject({ environmentScope: '', maskedAndHidden: false });
});
