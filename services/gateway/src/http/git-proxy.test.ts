import {
  type ResolveResponse,
  ResolveResponse_SudoRefusal,
  ResolveResponse_TokenRefusal as Token,
} from '@switchyard/protos/groups_admin/v1/access';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import { gitRequestOf, refusalOf } from './git-proxy';

describe('a URL is a git request', () => {
  test.each([
    ['GET', '/group/project.git/info/refs?service=git-upload-pack', 'group/project', 'git-upload-pack'],
    ['GET', '/group/project/info/refs?service=git-receive-pack', 'group/project', 'git-receive-pack'],
    ['POST', '/a/b/c.git/git-upload-pack', 'a/b/c', 'git-upload-pack'],
    ['POST', '/a/b.c.git/git-receive-pack', 'a/b.c', 'git-receive-pack'],
    ['GET', '/a/b%20c.git/info/refs', 'a/b c', 'git-upload-pack'],
    ['POST', '/a/b.git/info/lfs/objects/batch', 'a/b', 'git-upload-pack'],
    ['GET', '/a/b/info/lfs/locks?limit=1', 'a/b', 'git-upload-pack'],
    ['PUT', '/a/b.git/info/lfs', 'a/b', 'git-upload-pack'],
  ])('%s %s', (method, url, project, service) => expect(gitRequestOf(method, url)).toMatchObject({ project, service }));

  test.each([
    ['GET', '/api/v4/projects/1/info/refs'],
    ['GET', '/project.git/info/refs?service=git-upload-pack'],
    ['POST', '/group/project.git/info/refs?service=git-upload-pack'],
    ['GET', '/group/project.git/git-upload-pack'],
    ['GET', '/group/project.git/HEAD'],
    ['GET', '/group/%zz.git/info/refs?service=git-upload-pack'],
  ])('not %s %s', (method, url) => expect(gitRequestOf(method, url)).toBeUndefined());

  test('and nothing of the query but the service goes on', () =>
    expect(gitRequestOf('GET', '/g/p/info/refs?service=git-upload-pack&x=../../y')?.below).toBe(
      'info/refs?service=git-upload-pack',
    ));

  test('nor anything that would leave the query', () =>
    expect(gitRequestOf('GET', '/g/p/info/refs?service=a%0ab%26c')?.below).toBe('info/refs?service=a%0Ab%26c'));
});

describe('a git request is judged', () => {
  const answer = (level: number, given: object = {}, more: Partial<ResolveResponse> = {}): ResolveResponse => ({
    tokenRefusal: Token.TOKEN_REFUSAL_UNSPECIFIED,
    sudoRefusal: ResolveResponse_SudoRefusal.SUDO_REFUSAL_UNSPECIFIED,
    actor: { ...anonymous, userId: 7, scopes: ['write_repository'] },
    access: {
      kind: Access_Kind.KIND_PROJECT,
      id: 1,
      fullPath: 'g/p',
      visibility: 'private',
      level,
      tier: 'free',
      archived: false,
      ...given,
    },
    movedTo: 0,
    directorySequence: 1,
    validUntil: 0,
    ...more,
  });
  const anonymously = { actor: anonymous };
  const missing = { access: undefined };
  test.each<[string, 'git-upload-pack' | 'git-receive-pack', ResolveResponse, number | undefined]>([
    ['a Reporter fetches', 'git-upload-pack', answer(20), undefined],
    ['a Guest fetches a private project', 'git-upload-pack', answer(10), 403],
    ['a Guest fetches a public project', 'git-upload-pack', answer(10, { visibility: 'public' }), undefined],
    [
      'an anonymous caller fetches a public project',
      'git-upload-pack',
      answer(0, { visibility: 'public' }, anonymously),
      undefined,
    ],
    [
      'an anonymous caller fetches what they cannot see',
      'git-upload-pack',
      answer(0, {}, { ...anonymously, ...missing }),
      401,
    ],
    ['an outsider fetches what they cannot see', 'git-upload-pack', answer(0, {}, missing), 404],
    ['a Developer pushes', 'git-receive-pack', answer(30), undefined],
    ['a Reporter pushes, which the service decides', 'git-receive-pack', answer(20), undefined],
    ['a Guest pushes to a private project', 'git-receive-pack', answer(10), 403],
    [
      'an outsider pushes to a public project, which the service decides',
      'git-receive-pack',
      answer(0, { visibility: 'public' }),
      undefined,
    ],
    [
      'a job fetches',
      'git-upload-pack',
      answer(30, {}, { actor: { ...anonymous, userId: 7, job: { projectId: 1, pipelineId: 2 } } }),
      undefined,
    ],
    [
      'a job pushes (G-5-13)',
      'git-receive-pack',
      answer(50, {}, { actor: { ...anonymous, userId: 7, job: { projectId: 1, pipelineId: 2 } } }),
      403,
    ],
    [
      'a deploy token fetches',
      'git-upload-pack',
      answer(20, {}, { actor: { ...anonymous, deployTokenId: 5, scopes: ['read_repository'] } }),
      undefined,
    ],
    [
      'a deploy token of packages fetches',
      'git-upload-pack',
      answer(30, {}, { actor: { ...anonymous, deployTokenId: 5, scopes: ['write_package_registry'] } }),
      403,
    ],
    [
      'a deploy token pushes',
      'git-receive-pack',
      answer(30, {}, { actor: { ...anonymous, deployTokenId: 5, scopes: ['read_repository'] } }),
      403,
    ],
    [
      'a deploy token fetches another project',
      'git-upload-pack',
      answer(20, {}, { actor: { ...anonymous, deployTokenId: 5, scopes: ['read_repository'] }, access: undefined }),
      404,
    ],
    [
      'an anonymous caller pushes to a public project',
      'git-receive-pack',
      answer(0, { visibility: 'public' }, anonymously),
      401,
    ],
    ['an Owner pushes to an archived project', 'git-receive-pack', answer(50, { archived: true }), 403],
    ['an Owner fetches an archived project', 'git-upload-pack', answer(50, { archived: true }), undefined],
    [
      'an anonymous caller fetches a public project with a repository for members',
      'git-upload-pack',
      answer(
        0,
        {
          visibility: 'public',
          closed: { repository: true, mergeRequests: true, issues: false, monitor: false, snippets: false },
        },
        anonymously,
      ),
      401,
    ],
    [
      'an outsider fetches a public project with a repository for members',
      'git-upload-pack',
      answer(0, {
        visibility: 'public',
        closed: { repository: true, mergeRequests: true, issues: false, monitor: false, snippets: false },
      }),
      403,
    ],
    [
      'an Owner pushes where the repository is disabled',
      'git-receive-pack',
      answer(50, { closed: { repository: true, mergeRequests: true, issues: false, monitor: false, snippets: false } }),
      403,
    ],
    [
      'a token of another scope fetches',
      'git-upload-pack',
      answer(50, {}, { actor: { ...anonymous, userId: 7, scopes: ['read_api'] } }),
      403,
    ],
    [
      'a reading token pushes',
      'git-receive-pack',
      answer(50, {}, { actor: { ...anonymous, userId: 7, scopes: ['read_repository'] } }),
      403,
    ],
    ['an unknown token', 'git-upload-pack', answer(50, {}, { tokenRefusal: Token.TOKEN_REFUSAL_UNKNOWN }), 401],
    ['an expired token', 'git-upload-pack', answer(50, {}, { tokenRefusal: Token.TOKEN_REFUSAL_EXPIRED }), 401],
    ['a blocked user', 'git-upload-pack', answer(50, {}, { tokenRefusal: Token.TOKEN_REFUSAL_BLOCKED }), 403],
  ])('%s', (_name, service, given, status) => expect(refusalOf(given, service)?.status).toBe(status));

  const closed = { repository: true, mergeRequests: true, issues: false, monitor: false, snippets: false };
  test.each<[string, 'git-upload-pack' | 'git-receive-pack', ResolveResponse, number | undefined]>([
    ['a Reporter fetches', 'git-upload-pack', answer(20), undefined],
    ['a Guest fetches that of a private project', 'git-upload-pack', answer(10), 403],
    ['an outsider fetches that of a public project', 'git-upload-pack', answer(0, { visibility: 'public' }), undefined],
    ['an outsider fetches what they cannot see', 'git-upload-pack', answer(0, {}, missing), 404],
    ['a Reporter fetches where the repository is closed', 'git-upload-pack', answer(20, { closed }), undefined],
    ['a Developer pushes', 'git-receive-pack', answer(30), undefined],
    ['a Reporter pushes', 'git-receive-pack', answer(20, { visibility: 'public' }), 403],
    ['an anonymous caller pushes', 'git-receive-pack', answer(0, { visibility: 'public' }, anonymously), 401],
    ['an Owner pushes to that of an archived project', 'git-receive-pack', answer(50, { archived: true }), 403],
  ])('of a wiki: %s', (_name, service, given, status) =>
    expect(refusalOf(given, service, 'wiki')?.status).toBe(status),
  );
});
