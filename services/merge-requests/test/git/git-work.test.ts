import { execFileSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { eventually } from '@switchyard/testkit';
import { Admission } from '../../src/git/admission';
import { defaultGitLimits, limitGit } from '../../src/git/git-limits';
import { admissions, claimSlot, runForCaller, runToCompletion } from '../../src/git/git-work';
import { runGit, startGit } from '../../src/git/run-git';

const limits = { places: 3, placesPerRepository: 2, placesPerCaller: 1, waiting: 2, waitMs: 60_000 };
const user = (caller: string, repository: string) => ({ caller, single: true, repository });
const anonymous = (repository: string) => ({ caller: 'nobody', single: false, repository });
const never = new AbortController().signal;

describe('admission', () => {
  it('lets in what fits, and those who wait in their order, past whom their own share holds up', async () => {
    const admission = new Admission(() => limits);
    const [ada, bob] = [await admission.enter(user('ada', 'r'), never), await admission.enter(user('bob', 'r'), never)];
    const order: string[] = [];
    const wait = (name: string, repository: string) =>
      admission.enter(user(name, repository), never).then((leave) => {
        order.push(`${name} ${repository}`);
        return leave;
      });
    const again = wait('ada', 's');
    const third = wait('cid', 'r');
    expect([admission.running, admission.waiting]).toEqual([2, 2]);
    bob();
    (await third)();
    expect(order).toEqual(['cid r']);
    ada();
    (await again)();
    expect(order).toEqual(['cid r', 'ada s']);
    expect([admission.running, admission.waiting]).toEqual([0, 0]);
  });

  it('lets in all whom one that leaves has held up, by its own share or by that of its repository', async () => {
    const admission = new Admission(() => limits);
    const ada = await admission.enter(user('ada', 'r'), never);
    await admission.enter(user('bob', 'r'), never);
    const held = [admission.enter(user('ada', 's'), never), admission.enter(user('cid', 'r'), never)];
    expect(admission.waiting).toBe(2);
    ada();
    await Promise.all(held);
    expect([admission.running, admission.waiting]).toEqual([3, 0]);
  });

  it('says 429 to a user whose own share is used up, and 503 to everybody else', async () => {
    const admission = new Admission(() => ({ ...limits, waitMs: 0 }));
    await admission.enter(user('ada', 'r'), never);
    await expect(admission.enter(user('ada', 's'), never)).rejects.toMatchObject({ status: 429, retryAfter: 2 });
    await admission.enter(anonymous('r'), never);
    await expect(admission.enter(user('bob', 'r'), never)).rejects.toMatchObject({ status: 503, retryAfter: 2 });
    await admission.enter(anonymous('s'), never);
    // No single user has used up the share of anonymous callers.
    await expect(admission.enter(anonymous('t'), never)).rejects.toMatchObject({ status: 503 });
    expect(admission.refused).toEqual({ caller: 1, instance: 2 });
  });

  it('has a queue that ends, and forgets who leaves it', async () => {
    const admission = new Admission(() => ({ ...limits, places: 1 }));
    const leave = await admission.enter(user('ada', 'r'), never);
    const gone = new AbortController();
    const bob = admission.enter(user('bob', 'r'), gone.signal);
    const cid = admission.enter(user('cid', 'r'), never);
    await expect(admission.enter(user('dan', 'r'), never)).rejects.toMatchObject({ status: 503 });
    gone.abort(new Error('left'));
    await expect(bob).rejects.toThrow('left');
    leave();
    (await cid)();
    expect(admission.running).toBe(0);
  });
});

/** A git that waits for its child, and how to see either of them. */
function sleeper() {
  const seconds = `3${Math.random().toString().slice(2, 8)}`;
  const running = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(`sleep ${seconds}`);
  return { args: ['-c', `alias.wait=!sleep ${seconds}; :`, 'wait'], running };
}

const work = (signal: AbortSignal, caller = 'user 1') => ({ caller, single: true, kind: 'call' as const, signal });

describe('git for a caller', () => {
  it.each([
    ['kept', (args: string[]) => runGit(undefined, args)],
    ['streamed', async (args: string[]) => (await startGit(undefined, args)).ended],
  ])('ends at once with the caller, its children too (%s)', async (_, start) => {
    const [caller, { args, running }] = [new AbortController(), sleeper()];
    const served = runForCaller(work(caller.signal), () => start(args));
    await eventually(() => expect(running()).toBe(true));
    const leftAt = Date.now();
    caller.abort();
    await expect(served).rejects.toMatchObject({ kind: 'request_timeout' });
    await eventually(() => expect(running()).toBe(false));
    expect(Date.now() - leftAt).toBeLessThan(3_000);
    expect(admissions.call.running).toBe(0);
  });

  it('lets a transfer wait longer than a call, for git asks only once', async () => {
    limitGit({ places: 1, placesPerCaller: 1, waitMs: 50, transferWaitMs: 60_000 });
    try {
      const inTurn = async (kind: 'call' | 'transfer') => {
        let finish = (): void => undefined;
        const held = new Promise<void>((resolve) => {
          finish = resolve;
        });
        const given = { ...work(never), kind };
        const first = runForCaller(given, async () => {
          await claimSlot('r');
          await held;
        });
        await eventually(() => expect(admissions[kind].running).toBe(1));
        const second = runForCaller(given, () => claimSlot('r')).then(
          () => 'let in',
          (error: { status: number }) => error.status,
        );
        return { finish, first, second };
      };
      const [call, transfer] = [await inTurn('call'), await inTurn('transfer')];
      expect(await call.second).toBe(429);
      expect(admissions.transfer.waiting).toBe(1);
      for (const { finish, first } of [call, transfer]) {
        finish();
        await first;
      }
      expect(await transfer.second).toBe('let in');
    } finally {
      limitGit(defaultGitLimits);
    }
  });

  it('does not start for one who has gone', async () => {
    const caller = new AbortController();
    caller.abort();
    const served = runForCaller(work(caller.signal), () => runGit(undefined, ['version']));
    await expect(served).rejects.toMatchObject({ kind: 'request_timeout' });
  });

  it('ends with the work that started it', async () => {
    const { args, running } = sleeper();
    const served = runForCaller(work(never), async () => {
      runGit(undefined, args).catch(() => undefined);
      await eventually(() => expect(running()).toBe(true));
      throw new Error('other work failed');
    });
    await expect(served).rejects.toThrow('other work failed');
    await eventually(() => expect(running()).toBe(false));
  });

  it('comes to its end where it must', async () => {
    const caller = new AbortController();
    await runForCaller(work(caller.signal), async () => {
      await runGit(undefined, ['version']);
      caller.abort();
      await expect(runGit(undefined, ['version'], { holdsLocks: true })).resolves.toMatchObject({ code: 0 });
      await expect(runToCompletion(() => runGit(undefined, ['version']))).resolves.toMatchObject({ code: 0 });
      await expect(runGit(undefined, ['version'])).rejects.toMatchObject({ kind: 'request_timeout' });
    });
  });

  it('has four processes at the most, and a place from the first of them to the end of the work', async () => {
    const caller = new AbortController();
    const sleepers = Array.from({ length: 5 }, sleeper);
    const served = runForCaller(work(caller.signal), async () => {
      expect(admissions.call.running).toBe(0);
      await Promise.all(sleepers.map(({ args }) => runGit(undefined, args)));
    });
    const count = () => sleepers.filter(({ running }) => running()).length;
    await eventually(() => expect(count()).toBe(4));
    expect(admissions.call.running).toBe(1);
    caller.abort();
    await expect(served).rejects.toMatchObject({ kind: 'request_timeout' });
    await eventually(() => expect(count()).toBe(0));
  });

  it('holds up no background work', async () => {
    const gone = new AbortController();
    setMaxListeners(0, gone.signal);
    const full = Array.from({ length: 400 }, (_, at) =>
      runForCaller(work(gone.signal, `user ${at}`), async () => {
        await claimSlot('one repository');
        await new Promise((resolve) => gone.signal.addEventListener('abort', resolve));
      }).catch(() => undefined),
    );
    await eventually(() => expect(admissions.call.waiting).toBeGreaterThan(0));
    await expect(runGit(undefined, ['version'])).resolves.toMatchObject({ code: 0 });
    gone.abort();
    await Promise.all(full);
    expect([admissions.call.running, admissions.call.waiting]).toEqual([0, 0]);
  });
});
