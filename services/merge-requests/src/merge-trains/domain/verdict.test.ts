import type { Verdict } from '../../merge-requests';
import { type GreenRule, judge, type NamedStatus, type PipelineReports } from './verdict';

const now = new Date('2026-12-10T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

const named = (...texts: string[]): NamedStatus[] =>
  texts.map((text) => {
    const [name = '', status = '', allowed] = text.split(' ');
    return { name, status, allowFailure: allowed === 'allowed' };
  });

const reports = (status: string, names: readonly string[] = [], newestAt = ago(60)): PipelineReports => ({
  status,
  names: named(...names),
  newestAt: names.length === 0 ? undefined : newestAt,
});

const rule = (changes: Partial<GreenRule> = {}): GreenRule => ({
  required: [],
  count: 0,
  settlingSeconds: 2,
  skippedCounts: false,
  ...changes,
});

describe('without required names the pipeline decides (D8)', () => {
  it.each<[string, boolean, Verdict]>([
    ['created', false, 'pending'],
    ['waiting_for_resource', false, 'pending'],
    ['pending', false, 'pending'],
    ['running', false, 'pending'],
    ['manual', false, 'pending'],
    ['canceling', false, 'pending'],
    ['success', false, 'green'],
    ['failed', false, 'failed'],
    ['canceled', false, 'canceled'],
    ['skipped', false, 'failed'],
    ['skipped', true, 'green'],
  ])('%s (skipped counts: %s) is %s', (status, skippedCounts, verdict) => {
    expect(judge(reports(status, ['ci success']), rule({ skippedCounts }), now).verdict).toBe(verdict);
  });

  it('names what failed, and not what may', () => {
    const judged = judge(
      reports('failed', ['unit success', 'lint failed', 'docs failed allowed', 'e2e failed']),
      rule(),
      now,
    );
    expect(judged).toEqual({ verdict: 'failed', failedNames: ['e2e', 'lint'], missing: [] });
  });

  it.each([false, true])('does not name what was skipped beside it (skipped counts: %s)', (skippedCounts) => {
    const judged = judge(reports('failed', ['unit failed', 'deploy skipped']), rule({ skippedCounts }), now);
    expect(judged.failedNames).toEqual(['unit']);
  });

  it('names what was skipped where that fails the pipeline', () => {
    expect(judge(reports('skipped', ['deploy skipped']), rule(), now).failedNames).toEqual(['deploy']);
  });
});

describe('nothing lands by the first name that is green (D8)', () => {
  it('is pending until no new name has come for the settling time, and says until when', () => {
    const settling = judge(reports('success', ['unit success'], ago(1)), rule(), now);
    expect(settling).toEqual({
      verdict: 'pending',
      failedNames: [],
      missing: [],
      settlesAt: new Date('2026-12-10T12:00:01Z'),
    });
    expect(judge(reports('success', ['unit success'], ago(2)), rule(), now).verdict).toBe('green');
  });

  it('settles at once where the project says so, and later where it says so', () => {
    const fresh = reports('success', ['unit success'], now);
    expect(judge(fresh, rule({ settlingSeconds: 0 }), now).verdict).toBe('green');
    expect(judge(reports('success', ['unit success'], ago(599)), rule({ settlingSeconds: 600 }), now).verdict).toBe(
      'pending',
    );
  });

  it('with a number of names it waits for so many and no longer', () => {
    const one = reports('success', ['unit success'], ago(3_600));
    expect(judge(one, rule({ count: 2 }), now)).toEqual({ verdict: 'pending', failedNames: [], missing: [] });
    const two = reports('success', ['unit success', 'e2e success'], now);
    expect(judge(two, rule({ count: 2 }), now).verdict).toBe('green');
  });

  it('a failure waits for nothing', () => {
    const failed = reports('failed', ['unit failed'], now);
    expect(judge(failed, rule({ count: 5, settlingSeconds: 600 }), now).verdict).toBe('failed');
  });

  it('a name that is reported again is pending again', () => {
    expect(judge(reports('running', ['unit success', 'e2e running']), rule(), now).verdict).toBe('pending');
  });
});

describe('with required names those decide alone (D8)', () => {
  it.each<[string, string[], string[], Verdict, string[]]>([
    ['running', ['unit success', 'e2e success'], ['unit', 'e2e'], 'green', []],
    ['running', ['unit success', 'e2e success', 'lint running'], ['unit', 'e2e'], 'green', []],
    ['failed', ['unit success', 'lint failed'], ['unit'], 'green', []],
    ['success', ['unit success'], ['unit', 'e2e'], 'pending', ['e2e']],
    ['success', ['lint success'], ['unit'], 'pending', ['unit']],
    ['running', ['unit success', 'e2e running'], ['unit', 'e2e'], 'pending', ['e2e']],
    ['running', ['unit success', 'e2e pending'], ['unit', 'e2e'], 'pending', ['e2e']],
    ['running', ['unit failed', 'e2e running'], ['unit', 'e2e'], 'failed', ['e2e']],
    ['running', ['unit failed', 'e2e canceled'], ['unit', 'e2e'], 'failed', []],
    ['running', ['unit canceled', 'e2e running'], ['unit', 'e2e'], 'canceled', ['e2e']],
    ['canceled', ['unit success'], ['unit', 'e2e'], 'canceled', []],
    ['canceled', [], ['unit'], 'canceled', []],
    ['failed', ['unit failed allowed'], ['unit'], 'green', []],
    ['skipped', ['unit skipped'], ['unit'], 'failed', []],
  ])('%s, %j, required %j is %s and waits for %j', (status, statuses, required, verdict, missing) => {
    expect(judge(reports(status, statuses), rule({ required }), now)).toMatchObject({ verdict, missing });
  });

  it('they neither settle nor are counted', () => {
    const fresh = reports('running', ['unit success'], now);
    expect(judge(fresh, rule({ required: ['unit'], count: 9, settlingSeconds: 600 }), now).verdict).toBe('green');
  });

  it('a required name that was skipped counts where the project says so', () => {
    const both = rule({ required: ['unit', 'e2e'], skippedCounts: true });
    expect(judge(reports('success', ['unit skipped', 'e2e success']), both, now).verdict).toBe('green');
    expect(judge(reports('running', ['unit skipped']), both, now).verdict).toBe('pending');
  });

  it('names what failed of them', () => {
    const judged = judge(reports('failed', ['unit failed', 'lint failed']), rule({ required: ['unit'] }), now);
    expect(judged.failedNames).toEqual(['unit']);
  });
});
