import fc from 'fast-check';
import { askedFirst, mostRepeats, place, settle, type TodoSpan } from './todo-span';

type Happening = { readonly kind: 'asked' | 'acted'; readonly at: Date };

/** The to-dos of one user, target, action and cause after happenings that arrive in some order. */
function after(arriving: readonly Happening[]): TodoSpan[] {
  let spans: TodoSpan[] = [];
  const acts: Date[] = [];
  for (const { kind, at } of arriving) {
    if (kind === 'asked') {
      const [nextAct] = acts.filter((act) => act > at).sort((one, other) => one.getTime() - other.getTime());
      const { into, span } = place(spans, { at, authorId: 1 }, nextAct);
      spans = [...spans.filter((one) => one !== into), span];
      continue;
    }
    acts.push(at);
    spans = spans.flatMap((span) => {
      const parts = settle(span, at);
      return parts === undefined ? [span] : [parts.done, ...(parts.rest === undefined ? [] : [parts.rest])];
    });
  }
  return spans.sort((one, other) => askedFirst(one).getTime() - askedFirst(other).getTime());
}

const happening = fc.record({
  kind: fc.constantFrom<Happening['kind'][]>('asked', 'acted'),
  at: fc.integer({ min: 1, max: 12 }).map((minute) => new Date(minute * 60_000)),
});

const shuffled = fc
  .array(happening, { maxLength: 12 })
  .chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
  );

/** In order of time; an act comes before what is asked at the same moment, which it leaves. */
const inTime = (all: readonly Happening[]): Happening[] =>
  [...all].sort((one, other) => one.at.getTime() - other.at.getTime() || one.kind.localeCompare(other.kind));

describe('to-dos over time', () => {
  it('come out the same in whatever order one hears of what was asked and done', () => {
    fc.assert(
      fc.property(shuffled, ([all, arriving]) => expect(after(arriving)).toEqual(after(inTime(all)))),
      { numRuns: 2_000 },
    );
  });

  it('leave one pending exactly where something was asked that no act came after', () => {
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

  it('remember no more than the first and the newest times they were asked for', () => {
    const asked = Array.from({ length: mostRepeats + 5 }, (_, n): Happening => ({ kind: 'asked', at: new Date(n) }));
    const [span] = after(asked);
    expect(span?.asks).toHaveLength(mostRepeats + 1);
    expect([askedFirst(span as TodoSpan), span?.asks.at(-1)?.at]).toEqual([asked[0]?.at, asked.at(-1)?.at]);
  });
});
