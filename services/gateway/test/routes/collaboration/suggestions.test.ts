import { notFound } from '@switchyard/errors';
import type { Access } from '@switchyard/protos/rpc/v1/identity';
import { entity } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const suggestion = {
  id: 5,
  from_line: 3,
  to_line: 4,
  appliable: false,
  applied: true,
  from_content: 'a\nb\n',
  to_content: 'c\n',
};

describe('suggestions', () => {
  let gateway: TestGateway;
  let access: Access | undefined;

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: ({ token, target }) =>
        resolved({ ...(token === '' ? { actor: undefined } : {}), ...(target === undefined ? {} : { access }) }),
      fakes: {
        'SuggestionService/LocateSuggestions': async ({ ids }: { ids: number[] }) => {
          if (ids.includes(404)) throw notFound('Suggestion');
          return { projectId: 1 };
        },
        'SuggestionService/ApplySuggestions': async ({ asList }: { asList: boolean }) =>
          entity(asList ? [suggestion, suggestion] : suggestion),
      },
    });
  });
  beforeEach(() => {
    access = projectAccess();
    gateway.calls.length = 0;
  });
  afterAll(() => gateway.close());

  const apply = (id: number, body?: unknown) =>
    gateway.send('PUT', `/suggestions/${id}/apply`, { ...newToken(), body });
  const requests = () => gateway.calls.map(({ rpc, request }) => [rpc, request]);
  const applied = () => gateway.calls.filter(({ rpc }) => rpc === 'SuggestionService/ApplySuggestions');

  it('are applied in the project that their owner names, with the access of the caller there', async () => {
    expect(await apply(5, { commit_message: 'Take it' })).toMatchObject({ status: 200, body: suggestion });
    expect(requests()).toEqual([
      ['AccessService/Resolve', expect.objectContaining({ target: undefined })],
      ['SuggestionService/LocateSuggestions', { ids: [5] }],
      ['AccessService/Resolve', expect.objectContaining({ target: { $case: 'project', value: '1' } })],
      ['SuggestionService/ApplySuggestions', { projectId: 1, ids: [5], commitMessage: 'Take it', asList: false }],
    ]);
    expect(applied()[0]?.options).toMatchObject({ access: { id: 1, level: 30 } });
    const batch = await gateway.send('PUT', '/suggestions/batch_apply', { ...newToken(), body: { ids: [5, 6] } });
    expect(batch).toMatchObject({ status: 200, body: [suggestion, suggestion] });
    expect(applied()[1]?.request).toMatchObject({ ids: [5, 6], asList: true });
  });

  it('that the caller may not read are as good as not there', async () => {
    const { status, text } = await apply(404);
    expect([status, text]).toEqual([404, '{"message":"404 Suggestion Not Found"}']);
    const closed = { ...projectAccess({ visibility: 'public', level: 0 }), closed: { mergeRequests: true } as never };
    for (const unseen of [undefined, projectAccess({ level: 10 }), closed]) {
      access = unseen;
      const hidden = await apply(5);
      expect([hidden.status, hidden.text]).toEqual([status, text]);
    }
    expect(applied()).toEqual([]);
  });

  it('are refused in an archive', async () => {
    access = projectAccess({ archived: true });
    expect((await apply(5)).status).toBe(403);
    expect(applied()).toEqual([]);
  });

  it('of those who may only read are left to the service, by what holds now: the branch may lie in their fork', async () => {
    access = projectAccess({ visibility: 'public', level: 0 });
    expect((await apply(5)).status).toBe(200);
    expect(applied()[0]?.options).toMatchObject({ access: { id: 1, level: 0 } });
    expect(applied()).toHaveLength(1);
  });

  it('are asked for by someone, and by what are ids', async () => {
    expect((await gateway.send('PUT', '/suggestions/5/apply')).status).toBe(401);
    for (const body of [{}, { ids: 'x' }])
      expect((await gateway.send('PUT', '/suggestions/batch_apply', { ...newToken(), body })).status).toBe(400);
    expect(gateway.calls.some(({ rpc }) => rpc.startsWith('SuggestionService'))).toBe(false);
  });
});
