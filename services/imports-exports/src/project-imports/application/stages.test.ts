import { unavailable, unprocessable } from '@switchyard/errors';
import type { ImportTargets, StageContext } from './imports.ports';
import { refusedOf, stages } from './stages';

it.each([
  [[], 0],
  [[7], 9],
  [[1, 6, 10], 30],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0],
])('finds that an owner has not taken %p, with at most %p more calls', async (refused, atMost) => {
  let calls = 0;
  const items = Array.from({ length: 10 }, (_, index) => index + 1);
  const taken = (given: readonly number[]) => given.filter((one) => !refused.includes(one)).length;
  const found = await refusedOf(items, taken(items), async (given) => {
    calls += 1;
    return taken(given);
  });
  expect(found).toEqual(refused);
  expect(calls).toBeLessThanOrEqual(atMost);
});

describe('the wiki of a forge comes over after its repository', () => {
  const cloneUrl = 'https://forge.example/octo/things.git';
  const wikiUrl = 'https://forge.example/octo/things.wiki.git';
  const bring = async (importWiki: () => Promise<void>, repository: object = { wikiUrl }) => {
    const brought: unknown[] = [];
    const targets: Pick<ImportTargets, 'importRepository' | 'importWiki' | 'reserveNumbers'> = {
      reserveNumbers: async () => undefined,
      async importRepository(_, { url }) {
        brought.push(url);
        return { kept: ['refs/heads/main'], impossible: ['refs/heads/-x'] };
      },
      importWiki(_, source) {
        brought.push(source);
        return importWiki();
      },
    };
    const context = {
      import: { author: {}, requestId: 'r', repository: { cloneUrl, ...repository } },
      project: {},
      forge: { highestNumbers: async () => ({}), authorization: 'Basic eA==', headsPattern: 'refs/pull/*/head' },
      targets,
    } as unknown as StageContext;
    const { failed } = await stages.repository(context, 1, '');
    return { brought, failed: failed?.map(({ item, reason }) => [item, reason]) };
  };
  const left = [
    ['refs/heads/main', 'It is protected here, or about to be merged'],
    ['refs/heads/-x', 'No branch or tag here can have this name, or point there'],
  ];

  it.each([
    ['where it has one', async () => undefined, left],
    ['and is named where git refuses it', () => Promise.reject(unprocessable('No')), [...left, ['wiki', 'No']]],
  ])('%s', async (_, importWiki, failed) => {
    expect(await bring(importWiki)).toEqual({
      brought: [cloneUrl, { url: wikiUrl, authorization: 'Basic eA==' }],
      failed,
    });
  });

  it('and is tried again where it is away, and not asked for where there is none', async () => {
    await expect(bring(() => Promise.reject(unavailable(new Error('away'))))).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect((await bring(() => Promise.reject(new Error('asked')), {})).brought).toHaveLength(1);
  });
});
