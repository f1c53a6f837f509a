/** One time that something was asked of a user. */
export interface TodoAsk {
  readonly at: Date;
  /** Who asked. */
  readonly authorId: number;
}

/**
 * A to-do over time. It stands for all that was asked for the same reason while it was pending, so that an act of which one hears late
 * can still part what came before it from what came after it.
 */
export interface TodoSpan {
  /** Oldest first; the to-do shows the first. Beside it the newest `mostRepeats` are kept. */
  readonly asks: readonly TodoAsk[];
  /** When it was done; undefined while it is pending. */
  readonly until: Date | undefined;
}

/**
 * More often than this a pending to-do is not remembered to have been asked for: a pipeline may fail for months. The newest say whether
 * it is still pending; of what lies between only the moment an act would part it at is lost.
 */
export const mostRepeats = 100;

const inTime = (asks: readonly TodoAsk[]): TodoAsk[] => {
  const [first, ...more] = [...asks].sort(byTime);
  return first === undefined ? [] : [first, ...more.slice(-mostRepeats)];
};

const byTime = (one: TodoAsk, other: TodoAsk): number =>
  one.at.getTime() - other.at.getTime() || one.authorId - other.authorId;

/** When the first of it was asked. */
export const askedFirst = ({ asks: [first] }: TodoSpan): Date => first?.at ?? new Date(0);

/**
 * What an act of its user leaves of a to-do: all that was asked before it is done then, what was asked at its moment or later goes on.
 * Undefined where the act changes nothing.
 */
export function settle(span: TodoSpan, at: Date): { done: TodoSpan; rest: TodoSpan | undefined } | undefined {
  if (askedFirst(span) >= at || (span.until !== undefined && span.until <= at)) return undefined;
  const later = span.asks.filter((ask) => ask.at >= at);
  return {
    done: { asks: span.asks.filter((ask) => ask.at < at), until: at },
    rest: later.length === 0 ? undefined : { asks: later, until: span.until },
  };
}

/**
 * Where something that was asked belongs among the to-dos of one user, target, action and cause: in one that was pending then, in one
 * that begins later with no act in between, or in a new one.
 * @param nextAct the user's first act on the target after it, as far as it is known
 */
export function place<Span extends TodoSpan>(
  spans: readonly Span[],
  ask: TodoAsk,
  nextAct: Date | undefined,
): { readonly into: Span | undefined; readonly span: TodoSpan } {
  const then = spans.find((span) => askedFirst(span) <= ask.at && (span.until === undefined || span.until > ask.at));
  const [next] = spans
    .filter((span) => askedFirst(span) > ask.at && (nextAct === undefined || nextAct > askedFirst(span)))
    .sort((one, other) => askedFirst(one).getTime() - askedFirst(other).getTime());
  const into = then ?? next;
  return into === undefined
    ? { into, span: { asks: [ask], until: nextAct } }
    : { into, span: { asks: inTime([...into.asks, ask]), until: into.until } };
}
