import { inTurn } from './in-turn';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('work in turn', () => {
  it('runs one after another on one key, in order, also after a failure', async () => {
    const turn = inTurn();
    const seen: string[] = [];
    const work = (name: string, ms: number, fails = false) =>
      turn('a', async () => {
        seen.push(`${name} begins`);
        await pause(ms);
        seen.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = await Promise.allSettled([work('first', 20), work('second', 5, true), work('third', 1)]);
    expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await work('later', 1)).toBe('later');
  });

  it('does not hold up other keys', async () => {
    const turn = inTurn();
    let open = (): void => {};
    const held = turn(
      'a',
      () =>
        new Promise<void>((resolve) => {
          open = resolve;
        }),
    );
    expect(await turn('b', async () => 'b')).toBe('b');
    open();
    await held;
  });
});
