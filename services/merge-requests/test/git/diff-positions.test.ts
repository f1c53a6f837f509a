import type { Sha } from '../../src/git';
import { type DiffPosition, type DiffRefs, diffPositions } from '../../src/merge-requests/application/diff-positions';
import { Workshop } from './support/workshop';

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');

describe('places in diffs', () => {
  let shop: Workshop;
  let base: Sha;
  let head: Sha;
  let newest: DiffRefs | undefined;
  const edges = () =>
    diffPositions({
      open: async () => ({ repo: shop.repo, project: {} as never, defaultBranch: 'main' as never }),
      refsOf: async () => newest,
    });

  beforeAll(async () => {
    shop = await Workshop.open();
    base = shop.commit('base', { 'a.txt': lines(1, 40), 'b.txt': 'b\n' });
    head = shop.commit('change', { 'a.txt': `${lines(1, 9)}TEN\n${lines(11, 40)}`, 'new.txt': 'x\ny\n' });
    shop.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main');
  });
  afterAll(() => shop.close());

  const at = (given: Partial<DiffPosition>): DiffPosition => ({
    baseSha: base,
    startSha: base,
    headSha: head,
    oldPath: 'a.txt',
    newPath: 'a.txt',
    ...given,
  });

  it('are checked against the files and lines that changed', async () => {
    const check = async (given: Partial<DiffPosition>) => (await edges().check(1, at(given))).valid;
    expect(await check({ newLine: 10 })).toBe(true);
    expect(await check({ oldLine: 10 })).toBe(true);
    expect(await check({ oldLine: 30, newLine: 30 })).toBe(true);
    expect(await edges().check(1, at({ newLine: 10 }))).toEqual({ valid: true, code: { oldLine: 11, newLine: 10 } });
    expect(await check({})).toBe(true);
    expect(await check({ oldPath: 'new.txt', newPath: 'new.txt', newLine: 2 })).toBe(true);
    expect(await check({ newLine: 11 })).toBe(false);
    expect(await check({ oldLine: 30, newLine: 31 })).toBe(false);
    expect(await check({ oldPath: 'b.txt', newPath: 'b.txt', newLine: 1 })).toBe(false);
    expect(await check({ oldPath: '../x', newPath: '../x' })).toBe(false);
    expect(await check({ headSha: 'f'.repeat(40), newLine: 10 })).toBe(false);
    expect(await check({ headSha: 'main', newLine: 10 })).toBe(false);
  });

  it('move with a push, or are outdated by it', async () => {
    const next = shop.commit('push', {
      'a.txt': `top\n${lines(1, 9)}TEN\n${lines(11, 20)}new\n${lines(21, 40)}`,
      'new.txt': 'x\nY\n',
    });
    shop.git('mv', 'new.txt', 'renamed.txt');
    const renamed = shop.commit('rename', { 'c.txt': 'c\n' });
    shop.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main');
    const places = [
      at({ newLine: 10 }),
      at({ oldLine: 10 }),
      at({ oldLine: 30, newLine: 30 }),
      at({ oldPath: 'new.txt', newPath: 'new.txt', newLine: 2 }),
      at({}),
      at({ headSha: 'f'.repeat(40), newLine: 1 }),
    ];
    newest = { baseSha: base, startSha: base, headSha: next };
    const moved = await edges().move(1, 1, places);
    expect(
      moved.map((place) => place && [place.newPath, place.oldLine, place.newLine, place.headSha === next]),
    ).toEqual([
      ['a.txt', undefined, 11, true],
      ['a.txt', 10, undefined, true],
      ['a.txt', 30, 32, true],
      undefined,
      ['a.txt', undefined, undefined, true],
      undefined,
    ]);
    newest = { baseSha: base, startSha: base, headSha: renamed };
    const [followed] = await edges().move(1, 1, [
      at({ headSha: next, oldPath: 'new.txt', newPath: 'new.txt', newLine: 1 }),
    ]);
    expect(followed).toMatchObject({ newPath: 'renamed.txt', newLine: 1 });
    shop.git('mv', 'a.txt', 'd.txt');
    const away = shop.commit('rename a', {});
    shop.git('mv', 'd.txt', 'a.txt');
    const back = shop.commit('take everything back', { 'a.txt': lines(1, 40) });
    shop.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main');
    newest = { baseSha: base, startSha: base, headSha: away };
    expect(await edges().move(1, 1, [at({ oldLine: 10 })])).toMatchObject([
      { oldPath: 'a.txt', oldLine: 10, newPath: 'd.txt', headSha: away },
    ]);
    newest = { baseSha: base, startSha: base, headSha: back };
    expect(await edges().move(1, 1, [at({ oldLine: 30, newLine: 30 }), at({ oldLine: 10 }), at({})])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    newest = undefined;
    await expect(edges().move(1, 1, [])).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('are places of the newest version: a line that came back is none, one that the target has too stands on both sides', async () => {
    shop.git('checkout', '--quiet', '--detach', head);
    const restored = shop.commit('take line 10 back', { 'a.txt': `${lines(1, 29)}THIRTY\n${lines(31, 40)}` });
    shop.git('checkout', '--quiet', '--detach', base);
    const target = shop.commit('the target gets it too', { 'a.txt': `top\n${lines(1, 9)}TEN\n${lines(11, 40)}` });
    const rebased = shop.commit('rebase', {
      'a.txt': `top\n${lines(1, 9)}TEN\n${lines(11, 29)}THIRTY\n${lines(31, 40)}`,
    });
    shop.git('push', '--quiet', '--force', 'origin', `${restored}:refs/heads/one`, `${rebased}:refs/heads/two`);
    const moveTo = async (refs: DiffRefs, place: Partial<DiffPosition>) => {
      newest = refs;
      const [moved] = await edges().move(1, 1, [at(place)]);
      if (moved !== undefined) expect(await edges().check(1, moved)).toMatchObject({ valid: true });
      return moved && [moved.oldLine, moved.newLine];
    };
    const onRestored = { baseSha: base, startSha: base, headSha: restored };
    expect(await moveTo(onRestored, { oldLine: 10 })).toBeUndefined();
    expect(await moveTo(onRestored, { newLine: 10 })).toBeUndefined();
    expect(await moveTo(onRestored, { oldLine: 20, newLine: 20 })).toEqual([20, 20]);
    expect(await moveTo(onRestored, { oldLine: 30, newLine: 30 })).toBeUndefined();
    const onRebased = { baseSha: target, startSha: target, headSha: rebased };
    expect(await moveTo(onRebased, { newLine: 10 })).toEqual([11, 11]);
    expect(await moveTo(onRebased, { oldLine: 10 })).toBeUndefined();
    expect(await moveTo(onRebased, { oldLine: 35, newLine: 35 })).toEqual([36, 36]);
  });

  it('a commit is described by whatever names it', async () => {
    expect(await edges().describe(1, head.slice(0, 10))).toEqual({ sha: head, title: 'change', parentSha: base });
    await expect(edges().describe(1, 'nothing')).rejects.toMatchObject({ body: { message: '404 Commit Not Found' } });
  });

  it('of a forge that names no commit are in the newest version of each merge request', async () => {
    shop.git('checkout', '--quiet', '--detach', head);
    shop.git('mv', 'a.txt', 'z.txt');
    const renamed = shop.commit('another name', {});
    shop.git('push', '--quiet', 'origin', `${renamed}:refs/heads/three`);
    const refs = (headSha: string): DiffRefs => ({ baseSha: base, startSha: base, headSha });
    const place = { commitSha: '', oldSide: false, hunk: '' };
    const found = await edges().locate(1, [
      { ...place, refs: refs(head), path: 'a.txt', line: 30 },
      { ...place, refs: refs(renamed), path: 'z.txt', line: 10 },
    ]);
    expect(found).toEqual([
      at({ oldLine: 30, newLine: 30 }),
      at({ headSha: renamed, newPath: 'z.txt', oldLine: undefined, newLine: 10 }),
    ]);
  });
});
