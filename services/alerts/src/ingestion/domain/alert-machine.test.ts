import fc from 'fast-check';
import { applyMessage, type FingerprintState, initialState, lateFor, type Message } from './alert-machine';

/** `f` firing, `e` end, digits for start and end: `f1` fires since 1, `e1-3` ended at 3, `e` ends without times. */
function message(text: string): Message {
  const [, kind, start, end] = /^([fe])(\d*)(?:-(\d+))?$/.exec(text) ?? [];
  return {
    isEnd: kind === 'e',
    startsAt: start === '' || start === undefined ? undefined : Number(start),
    endsAt: end === undefined ? undefined : Number(end),
    raisesAgain: false,
  };
}

const now = 100;

/** @param more of every message */
function run(texts: string, more: Partial<Message> = {}): string[] {
  let state = initialState;
  let at = now;
  return texts.split(' ').map((text) => {
    if (text === 'later') at += lateFor;
    if (text === 'later') return text;
    const taken = applyMessage(state, { ...message(text), ...more }, at);
    state = taken.state;
    const { result } = taken;
    return result.outcome === 'ignored' ? result.reason : result.outcome;
  });
}

describe('messages of one fingerprint', () => {
  it.each<[string, string, string]>([
    ['repeats are counted', 'f1 f1 f', 'created counted counted'],
    ['a new one after the end', 'f1 e1-3 f5', 'created resolved created'],
    ['the end of the one before comes again', 'f1 e1-3 f5 e1-3', 'created resolved created ended_before_this_start'],
    ['a late repeat opens nothing', 'f1 e1-3 f1', 'created resolved already_ended'],
    ['one that started before the end, neither', 'f2 e2-5 f4', 'created resolved already_ended'],
    ['the end comes before its start', 'e1-3 f1', 'no_open_alert already_ended'],
    ['a start that took no time', 'f3 e3-3 f3', 'created resolved already_ended'],
    ['the next start comes before the end', 'f1 f5 e1-3', 'created counted ended_before_this_start'],
    ['and then its own end', 'f1 f5 e1-3 e5-7', 'created counted ended_before_this_start resolved'],
    ['a lost start', 'f1 e5-7 f5', 'created resolved already_ended'],
    ['unreported starts', 'f e-3 f', 'created resolved created'],
    ['an unreported end', 'f1 e1 f1', 'created resolved created'],
    ['an end without an alert', 'e', 'no_open_alert'],
    ['an end in the future keeps nothing out', 'f1 e1-900 f101', 'created resolved created'],
    [
      'an older end does not take the place of a newer one',
      'f1 e1-7 e1-3 f5',
      'created resolved no_open_alert already_ended',
    ],
  ])('%s', (_name, texts, expected) => expect(run(texts).join(' ')).toBe(expected));

  it.each<[string, string, string]>([
    ['what fires on is not missed', 'f1 e1-3 f1 later f1', 'created resolved already_ended later created'],
    ['nor when its end resolved nothing', 'e1-3 later f1', 'no_open_alert later created'],
    ['a repeated end keeps nothing out', 'f1 e1-3 later e1-3 f1', 'created resolved later no_open_alert created'],
  ])('minutes later: %s', (_name, texts, expected) => expect(run(texts).join(' ')).toBe(expected));

  it.each<[string, string, string]>([
    ['the same one after the end is a new one', 'f1 e1-3 f1', 'created resolved created'],
    ['an end that came before its start', 'e1-3 f1 f5', 'no_open_alert already_ended created'],
    ['also when the end is reported twice', 'f1 e1-3 e1-3 f1', 'created resolved no_open_alert created'],
    ['or later each time', 'f1 e1-3 e1-4 e1-900 e1-900 f1', `created resolved ${'no_open_alert '.repeat(3)}created`],
    ['the next end came before its start', 'f1 e1-3 e5-7 f5', 'created resolved no_open_alert already_ended'],
    ['and does so twice', 'e1-3 e1-4 f1', 'no_open_alert no_open_alert already_ended'],
  ])('where repeats raise new alerts: %s', (_name, texts, expected) =>
    expect(run(texts, { raisesAgain: true }).join(' ')).toBe(expected),
  );

  it('are late for less time than lies between two messages of Alertmanager about one group', () => {
    expect(lateFor).toBeLessThan(5 * 60_000);
  });

  it('end at the reported time, else on arrival', () => {
    const open: FingerprintState = { open: { lastStart: 1 }, lastEnd: undefined };
    expect(applyMessage(open, message('e1-3'), now).result).toEqual({ outcome: 'resolved', endedAt: 3 });
    expect(applyMessage(open, message('e1'), now).result).toEqual({ outcome: 'resolved', endedAt: now });
  });
});

/** Consecutive episodes, reported as Alertmanager does. */
const episodes = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 6 })
  .map((spans) => {
    let at = 0;
    return spans.map(([pause, length]) => {
      const startsAt = at + pause;
      at = startsAt + length;
      return { startsAt, endsAt: at };
    });
  });

const messagesOf = (reported: { startsAt: number; endsAt: number }[]): Message[] =>
  reported.flatMap(({ startsAt, endsAt }) => [
    { isEnd: false, startsAt, endsAt: undefined, raisesAgain: false },
    { isEnd: true, startsAt, endsAt, raisesAgain: false },
  ]);

function follow(messages: readonly Message[]): { state: FingerprintState; created: number; resolved: number } {
  let state = initialState;
  let created = 0;
  let resolved = 0;
  for (const one of messages) {
    const taken = applyMessage(state, one, now);
    const wasOpen = state.open !== undefined;
    state = taken.state;
    const { outcome } = taken.result;
    // One opens only where none is, and one that is there closes.
    if (outcome === 'created') expect(wasOpen).toBe(false);
    if (outcome === 'resolved' || outcome === 'counted') expect(wasOpen).toBe(true);
    expect(state.open !== undefined).toBe(
      outcome === 'created' || outcome === 'counted' || (wasOpen && outcome === 'ignored'),
    );
    if (outcome === 'created') created += 1;
    if (outcome === 'resolved') resolved += 1;
  }
  return { state, created, resolved };
}

describe('episodes reported in order', () => {
  it('are as many alerts, each resolved, however often each message comes', () =>
    fc.assert(
      fc.property(
        episodes,
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 12, maxLength: 12 }),
        (reported, times) => {
          const messages = messagesOf(reported).flatMap((one, at) => Array.from({ length: times[at] ?? 1 }, () => one));
          expect(follow(messages)).toMatchObject({
            created: reported.length,
            resolved: reported.length,
            state: { open: undefined },
          });
        },
      ),
    ));
});

describe('episodes reported in any order, any message any number of times', () => {
  it('leave nothing open once every message has come', () =>
    fc.assert(
      fc.property(
        episodes.chain((reported) => {
          const messages = messagesOf(reported);
          return fc
            .array(fc.constantFrom(...messages), { maxLength: 20 })
            .chain((more) => fc.shuffledSubarray([...messages, ...more], { minLength: messages.length + more.length }));
        }),
        (messages) => {
          const { state, created, resolved } = follow(messages);
          expect(state.open).toBeUndefined();
          expect(created).toBe(resolved);
        },
      ),
      { numRuns: 1_000 },
    ));

  it('leave the last one open when its end is the only message that has not come', () =>
    fc.assert(
      fc.property(
        episodes.chain((reported) => {
          const messages = messagesOf(reported).slice(0, -1);
          return fc.shuffledSubarray(messages, { minLength: messages.length });
        }),
        (messages) => expect(follow(messages).state.open).toBeDefined(),
      ),
      { numRuns: 1_000 },
    ));
});
