/** One request of something from a user. */
export interface TodoRequest {
  readonly at: Date;
  /** The user who made it. */
  readonly authorId: number;
}

/**
 * A to-do over time. It keeps every request for the same reason while it was pending, so that an activity whose event
 * arrives late can still separate the requests before it from those after it.
 */
export interface TodoSpan {
  /** Oldest first; the to-do shows the first. After it the newest `maxRepeats` are kept. */
  readonly requests: readonly TodoRequest[];
  /** When it was done; undefined while it is pending. */
  readonly until: Date | undefined;
}

/**
 * Most repeated requests that a pending to-do keeps: a pipeline may fail for months. The newest decide whether it is
 * still pending; of those between, only the time at which an activity would split the span is lost.
 */
export const maxRepeats = 100;

const inTime = (requests: readonly TodoRequest[]): TodoRequest[] => {
  const [first, ...more] = [...requests].sort(byTime);
  return first === undefined ? [] : [first, ...more.slice(-maxRepeats)];
};

const byTime = (one: TodoRequest, other: TodoRequest): number =>
  one.at.getTime() - other.at.getTime() || one.authorId - other.authorId;

/** When the first request was made. */
export const firstRequestedAt = ({ requests: [first] }: TodoSpan): Date => first?.at ?? new Date(0);

/**
 * Resolves a to-do by an activity of its user: requests before it are done then, requests at the same time or later
 * stay. Undefined where the activity changes nothing.
 */
export function resolveSpan(span: TodoSpan, at: Date): { done: TodoSpan; rest: TodoSpan | undefined } | undefined {
  if (firstRequestedAt(span) >= at || (span.until !== undefined && span.until <= at)) return undefined;
  const later = span.requests.filter((request) => request.at >= at);
  return {
    done: { requests: span.requests.filter((request) => request.at < at), until: at },
    rest: later.length === 0 ? undefined : { requests: later, until: span.until },
  };
}

/**
 * Puts a request into the to-dos of one user, target, action and cause: into one that was pending then, into one that
 * begins later with no activity in between, or into a new one.
 * @param nextActivity the user's first activity on the target after it, as far as it is known
 */
export function mergeIntoSpans<Span extends TodoSpan>(
  spans: readonly Span[],
  request: TodoRequest,
  nextActivity: Date | undefined,
): { readonly into: Span | undefined; readonly span: TodoSpan } {
  const then = spans.find(
    (span) => firstRequestedAt(span) <= request.at && (span.until === undefined || span.until > request.at),
  );
  const [next] = spans
    .filter(
      (span) =>
        firstRequestedAt(span) > request.at && (nextActivity === undefined || nextActivity > firstRequestedAt(span)),
    )
    .sort((one, other) => firstRequestedAt(one).getTime() - firstRequestedAt(other).getTime());
  const into = then ?? next;
  return into === undefined
    ? { into, span: { requests: [request], until: nextActivity } }
    : { into, span: { requests: inTime([...into.requests, request]), until: into.until } };
}
