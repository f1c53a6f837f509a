import { AppError, invalid, unavailable } from '@switchyard/errors';
import { RE2JS, RE2JSException } from 're2js';

/** A regular expression of a caller: whether it matches anywhere in a text, in time proportional to the text. */
export type Expression = (text: string) => boolean;

/** Characters of an expression. */
const maxLength = 500;
/** Instructions of a compiled expression: each can cost a step per character. */
const maxInstructions = 1_000;
/**
 * Sum of the counts of an expression. Compiling `a{1000}` seventy times would take 260 ms before the instructions could
 * be counted.
 */
const maxCounted = 256;

const counts = /\{(\d{1,4})(?:,(\d{0,4}))?\}/g;

function countedIn(expression: string): number {
  let sum = 0;
  for (const [, least = '', most = ''] of expression.matchAll(counts)) sum += Math.max(Number(least), Number(most));
  return sum;
}

/**
 * A regular expression in the syntax of RE2: no back-references, no look-around.
 * @throws AppError invalid "Regex is invalid", "Regex is too long" (over 500 characters) or "Regex is too complex"
 * (over 1,000 instructions, or counts that sum up to more than 256)
 */
export const parseExpression = (text: string): Expression => compiledExpression(text).matches;

/** As `parseExpression`, with the number of its instructions: each can cost a step per character. */
export function compiledExpression(text: string): { readonly matches: Expression; readonly size: number } {
  if (text.length > maxLength) throw invalid('Regex is too long');
  if (countedIn(text) > maxCounted) throw invalid('Regex is too complex');
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(text);
  } catch (error) {
    if (error instanceof RE2JSException) throw invalid('Regex is invalid');
    throw error;
  }
  const size = compiled.programSize();
  if (size > maxInstructions) throw invalid('Regex is too complex');
  return { matches: (name) => compiled.test(name), size };
}

/** Limits of matching in one process. */
export interface MatchingLimits {
  /** Milliseconds of the processor one request may take; then 408. Time that other processes take does not count. */
  readonly budgetMs: number;
  /**
   * Milliseconds of matching between which other work is done. One match may take longer: some 60 ms for a name of
   * 2,000 characters.
   */
  readonly sliceMs: number;
  /** Requests under way; further ones are answered 503. */
  readonly running: number;
  /** Of these, requests on behalf of one owner. */
  readonly runningOfOne: number;
}

const defaults: MatchingLimits = { budgetMs: 5_000, sliceMs: 10, running: 16, runningOfOne: 4 };

/** Resolves after timers and sockets had their turn. */
const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Matches many texts against the expression of one request. Slices of all requests run one at a time and in turn, so
 * that a costly expression delays neither other work nor other expressions by more than its share.
 */
export function expressionsInSlices(limits: Partial<MatchingLimits> = {}) {
  const { budgetMs, sliceMs, running, runningOfOne } = { ...defaults, ...limits };
  const underWay = new Map<number, number>();
  let total = 0;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => T): Promise<T> {
    const run = last.then(yieldToEventLoop).then(work);
    last = run.catch(() => undefined);
    return run;
  }

  async function matches(texts: readonly string[], text: string): Promise<Set<string>> {
    const expression = await inTurn(() => parseExpression(text));
    const found = new Set<string>();
    let at = 0;
    let spent = 0;
    const slice = (): void => {
      const began = performance.now();
      const usage = process.cpuUsage();
      while (at < texts.length && performance.now() - began < sliceMs) {
        const candidate = texts[at] ?? '';
        if (expression(candidate)) found.add(candidate);
        at += 1;
      }
      const { user, system } = process.cpuUsage(usage);
      spent += (user + system) / 1_000;
    };
    while (at < texts.length) {
      if (spent >= budgetMs)
        throw new AppError('request_timeout', undefined, { cause: 'matching a regular expression' });
      await inTurn(slice);
    }
    return found;
  }

  /**
   * Of `texts`, those that an expression matches.
   * @param owner whose share this counts against, such as a project id
   * @throws AppError invalid as `parseExpression`, request_timeout past the budget, unavailable when too many are under
   * way
   */
  return async (owner: number, texts: readonly string[], expression: string): Promise<Set<string>> => {
    const own = underWay.get(owner) ?? 0;
    if (total >= running || own >= runningOfOne) throw unavailable('too many regular expressions under way');
    total += 1;
    underWay.set(owner, own + 1);
    try {
      return await matches(texts, expression);
    } finally {
      total -= 1;
      const left = (underWay.get(owner) ?? 1) - 1;
      if (left > 0) underWay.set(owner, left);
      else underWay.delete(owner);
    }
  };
}
