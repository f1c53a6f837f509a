import { coalesce } from './coalesce';

describe('coalesced look-ups', () => {
  function held() {
    const begun: { key: string; settle: (value: number) => void; fail: (error: Error) => void }[] = [];
    const find = coalesce<string, number>(
      (key) => key,
      (key) => new Promise((settle, fail) => begun.push({ key, settle, fail })),
    );
    const turn = () => new Promise((settle) => setImmediate(settle));
    return { begun, find, turn };
  }

  it('share the next one while one is under way, and never one that began before', async () => {
    const { begun, find, turn } = held();
    const first = find('a');
    await turn();
    const [second, third, other] = [find('a'), find('a'), find('b')];
    await turn();
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
    begun[0]?.settle(1);
    begun[1]?.settle(7);
    await turn();
    begun[2]?.settle(2);
    expect(await Promise.all([first, second, third, other])).toEqual([1, 2, 2, 7]);
    expect(begun).toHaveLength(3);
  });

  it('do not fail for one that failed before them', async () => {
    const { begun, find, turn } = held();
    const first = expect(find('a')).rejects.toThrow('away');
    await turn();
    const second = find('a');
    begun[0]?.fail(new Error('away'));
    await first;
    await turn();
    begun[1]?.settle(2);
    expect(await second).toBe(2);
    const third = find('a');
    await turn();
    begun[2]?.settle(3);
    expect(await third).toBe(3);
  });
});
