import { refusedConfiguration } from '@switchyard/config';
import { createSupervisor } from '../local/supervisor.mjs';

type End = { code: number | null; signal: string | null };

/** A process that ends when it is stopped. */
function fakeProcess(pid: number, onStop: () => void = () => {}) {
  let end: (how: End) => void = () => {};
  const exited = new Promise<End>((settle) => {
    end = settle;
  });
  const stop = async () => {
    onStop();
    end({ code: 0, signal: null });
  };
  return { pid, exited, stop, die: (how: End = { code: 1, signal: null }) => end(how) };
}

function harness(limits: { maxDeaths?: number; maxPauseMs?: number } = {}) {
  const deaths: [string, string, number][] = [];
  const givenUp: string[] = [];
  const refused: string[] = [];
  let time = 0;
  const supervisor = createSupervisor({
    ...limits,
    onDeath: (name: string, how: string, restartInMs: number) => deaths.push([name, how, restartInMs]),
    onGiveUp: (name: string, how: string) => givenUp.push(`${name} ${how}`),
    onRefusal: (name: string, how: string) => refused.push(`${name} ${how}`),
    now: () => time,
    pause: async () => {},
  });
  return {
    supervisor,
    deaths,
    givenUp,
    refused,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the supervisor', () => {
  it('starts a dead unit again, with growing pauses', async () => {
    const { supervisor, deaths } = harness();
    const started: ReturnType<typeof fakeProcess>[] = [];
    await supervisor.run({
      name: 'one',
      start: async () => {
        started.push(fakeProcess(started.length));
        return started.at(-1)!;
      },
    });
    for (let death = 0; death < 3; death++) {
      started.at(-1)?.die(death === 2 ? { code: null, signal: 'SIGKILL' } : undefined);
      await settled();
    }
    expect(started).toHaveLength(4);
    expect(deaths).toEqual([
      ['one', 'ended with exit code 1', 200],
      ['one', 'ended with exit code 1', 400],
      ['one', 'ended by SIGKILL', 800],
    ]);
  });

  it('lets the pauses grow up to the given limit', async () => {
    const { supervisor, deaths } = harness({ maxDeaths: 5, maxPauseMs: 700 });
    let current = fakeProcess(0);
    await supervisor.run({
      name: 'one',
      start: async () => {
        current = fakeProcess(1);
        return current;
      },
    });
    for (let death = 0; death < 4; death++) {
      current.die();
      await settled();
    }
    expect(deaths.map(([, , pause]) => pause)).toEqual([200, 400, 700, 700]);
  });

  it('gives up at the fifth death within a minute, once', async () => {
    const { supervisor, givenUp } = harness();
    let current = fakeProcess(0);
    let starts = 0;
    await supervisor.run({
      name: 'one',
      start: async () => {
        starts++;
        current = fakeProcess(starts);
        return current;
      },
    });
    for (let death = 0; death < 6; death++) {
      current.die();
      await settled();
    }
    expect(givenUp).toEqual(['one ended with exit code 1']);
    expect(starts).toBe(5);
  });

  it('forgets deaths older than a minute', async () => {
    const { supervisor, givenUp, pass } = harness();
    let current = fakeProcess(0);
    await supervisor.run({
      name: 'one',
      start: async () => {
        current = fakeProcess(1);
        return current;
      },
    });
    for (let death = 0; death < 12; death++) {
      current.die();
      await settled();
      pass(15_001);
    }
    expect(givenUp).toEqual([]);
  });

  it('counts a restart that fails as a death', async () => {
    const { supervisor, givenUp } = harness();
    let current: ReturnType<typeof fakeProcess> | undefined;
    await supervisor.run({
      name: 'one',
      start: async () => {
        if (current) throw new Error('no memory');
        current = fakeProcess(1);
        return current;
      },
    });
    current?.die();
    await settled();
    expect(givenUp).toEqual(['one no memory']);
  });

  describe('a unit that refuses its configuration', () => {
    const refusal = { code: refusedConfiguration, signal: null };

    async function one() {
      const supervised = harness();
      let current = fakeProcess(0);
      let starts = 0;
      await supervised.supervisor.run({
        name: 'one',
        start: async () => {
          starts += 1;
          current = fakeProcess(starts);
          return current;
        },
      });
      const die = async (how?: End) => {
        current.die(how);
        await settled();
        supervised.pass(50_000);
      };
      return { ...supervised, die, starts: () => starts };
    }

    it('is given up on at its first start', async () => {
      const { die, starts, refused, deaths } = await one();
      await die(refusal);
      expect(refused).toEqual(['one ended with exit code 78']);
      expect(deaths).toEqual([]);
      expect(starts()).toBe(1);
    });

    it('is started again where it ran before, but not for ever', async () => {
      const { die, starts, refused, givenUp } = await one();
      await die();
      for (let death = 0; death < 4; death++) await die(refusal);
      expect(refused).toEqual([]);
      expect(starts()).toBe(6);
      await die(refusal);
      expect(refused).toEqual(['one ended with exit code 78']);
      expect(givenUp).toEqual([]);
      expect(starts()).toBe(6);
    });

    it('may refuse it again after it has run in between', async () => {
      const { die, refused } = await one();
      await die();
      for (let death = 0; death < 12; death++) await die(death % 3 === 0 ? undefined : refusal);
      expect(refused).toEqual([]);
    });

    it('says nothing any more once everything stops', async () => {
      const { die, refused, supervisor } = await one();
      await supervisor.stop([]);
      await die(refusal);
      expect(refused).toEqual([]);
    });
  });

  it('stops group after group, and restarts nothing', async () => {
    const { supervisor, deaths } = harness();
    const order: string[] = [];
    for (const name of ['database', 'first', 'second', 'gateway']) {
      await supervisor.run({ name, start: async () => fakeProcess(1, () => order.push(name)) });
    }
    await supervisor.stop([['gateway'], ['first', 'second'], ['database']]);
    await settled();
    expect(order).toEqual(['gateway', 'first', 'second', 'database']);
    expect(deaths).toEqual([]);
  });

  it('ends a unit that was starting when the stop came', async () => {
    const { supervisor } = harness();
    const late = fakeProcess(1);
    let ready: (process: typeof late) => void = () => {};
    const running = supervisor.run({
      name: 'late',
      start: () =>
        new Promise((settle) => {
          ready = settle;
        }),
    });
    const stopped = supervisor.stop([['late']]);
    ready(late);
    await stopped;
    await running;
    await expect(late.exited).resolves.toEqual({ code: 0, signal: null });
  });
});
