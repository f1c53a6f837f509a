import { type DeployTokenRequest, deployTokenProblems } from './deploy-token';

const now = new Date('2026-03-01T12:00:00Z');
const request: DeployTokenRequest = { name: 'ci', scopes: ['read_repository'], expiresAt: undefined, username: '' };

test('a deploy token of allowed scopes, with or without a username, can be made', () => {
  expect(deployTokenProblems(request, now)).toEqual({});
  const all = ['read_repository', 'read_package_registry', 'write_package_registry'];
  expect(deployTokenProblems({ ...request, scopes: all, username: 'a.b+c-d_E9' }, now)).toEqual({});
  expect(deployTokenProblems({ ...request, expiresAt: new Date(now.getTime() + 1) }, now)).toEqual({});
});

test.each<[Partial<DeployTokenRequest>, string]>([
  [{ scopes: [] }, 'scopes'],
  [{ scopes: ['read_repository', 'api'] }, 'scopes'],
  [{ expiresAt: now }, 'expires_at'],
  [{ username: 'a b' }, 'username'],
  [{ username: 'x'.repeat(256) }, 'username'],
  [{ name: '' }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
])('%j is refused', (given, field) => {
  expect(Object.keys(deployTokenProblems({ ...request, ...given }, now))).toEqual([field]);
});
