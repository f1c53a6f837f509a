import fc from 'fast-check';
import { firstRequestedAt, maxRepeats, mergeIntoSpans, resolveSpan, type TodoSpan } from './todo-span';

type Input = { readonly kind: 'asked' | 'acted'; readonly at: Date };

/** The to-dos of one user, target, action and cause after inputs that arrive in some order. */
function after(arriving: readonly Input[]): TodoSpan[] {
  let spans: TodoSpan[] = [];
  const acts: Date[] = [];
  for (const { kind, at } of arriving) {
    if (kind === 'asked') {
      const [nextActivity] = acts.filter((act) => act > at).sort((one, other) => one.getTime() - other.getTime());
      const { into, span } = mergeIntoSpans(spans, { at, authorId: 1 }, nextActivity);
      spans = [...spans.filter((one) => one !== into), span];
      continue;
    }
    acts.push(at);
    spans = spans.flatMap((span) => {
      const parts = resolveSpan(span, at);
      return parts === undefined ? [span] : [parts.done, ...(parts.rest === undefined ? [] : [parts.rest])];
    });
  }
  return spans.sort((one, other) => firstRequestedAt(one).getTime() - firstRequestedAt(other).getTime());
}

const input = fc.record({
  kind: fc.constantFrom<Input['kind'][]>('asked', 'acted'),
  at: fc.integer({ min: 1, max: 12 }).map((minute) => new Date(minute * 60_000)),
});

const shuffled = fc
  .array(input, { maxLength: 12 })
  .chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
  );

/** In order of time; an activity comes before a request of the same time, which it leaves. */
const inTime = (all: readonly Input[]): Input[] =>
  [...all].sort((one, other) => one.at.getTime() - other.at.getTime() || one.kind.localeCompare(other.kind));

describe('to-dos over time', () => {
  it('are the same in whatever order requests and activities arrive', () => {
    fc.assert(
      fc.property(shuffled, ([all, arriving]) => expect(after(arriving)).toEqual(after(inTime(all)))),
      { numRuns: 2_000 },
    );
  });

  it('leave one pending exactly where a request has no activity after it', () => {
    fc.assert(
      fc.property(shuffled, ([all, arriving]) => {
        const open = all.some(
          (ask) => ask.kind === 'asked' && !all.some((act) => act.kind === 'acted' && act.at > ask.at),
        );
        expect(after(arriving).filter(({ until }) => until === undefined)).toHaveLength(open ? 1 : 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keep only the first and the newest requests', () => {
    const asked = Array.from({ length: maxRepeats + 5 }, (_, n): Input => ({ kind: 'asked', at: new Date(n) }));
    const [span] = after(asked);
    expect(span?.requests).toHaveLength(maxRepeats + 1);
    expect([firstRequestedAt(span as TodoSpan), span?.requests.at(-1)?.at]).toEqual([asked[0]?.at, asked.at(-1)?.at]);
  });
});
