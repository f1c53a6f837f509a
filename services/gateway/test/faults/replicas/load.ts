import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../e2e/support/random';
import type { SystemClient } from '../../e2e/support/system';

/** What a test does to an installation, for a while. Times in milliseconds since the epoch. */
export interface Disruption {
  readonly kind: 'roll' | 'kill' | 'hang' | 'postgres' | 'postgres hangs' | 'kafka';
  readonly what: string;
  readonly from: number;
  /** When what was taken away was gone altogether. */
  gone: number;
  /** When all was back. */
  until: number;
}

/** A request, or a command of the git client. */
interface Sent {
  readonly what: string;
  readonly phase: string;
  readonly began: number;
  readonly ended: number;
  /** Why it failed; undefined where it was answered, be it by a refusal. */
  readonly cause: string | undefined;
}

/** Milliseconds after PostgreSQL is back, or answers again, within which services use it again (F2). */
const reconnectWithin = 3_000;
/** Milliseconds within which a request is answered while PostgreSQL hangs (F3). */
const silentWithin = 2_500;
/** Milliseconds for which the signal to a process is on its way, and the end of its connections. */
const slack = 250;

/**
 * Whether a failure is one that a disruption may cause: under way at a kill, given up while a process hung, or refused while PostgreSQL
 * was away.
 */
function explains({ kind, from, gone, until }: Disruption, { began, ended, cause = '' }: Sent): boolean {
  const wasUnderWay = began <= gone + slack && ended >= from;
  if (kind === 'hang') return wasUnderWay && /\b50[34]\b/.test(cause);
  if (kind === 'kill') return wasUnderWay && !/\b500\b/.test(cause);
  if (kind === 'postgres') {
    if (/\b503\b/.test(cause)) return began <= until + reconnectWithin && ended >= from;
    return wasUnderWay && /\b504\b/.test(cause);
  }
  if (kind === 'postgres hangs') {
    const inTime = ended - Math.max(began, from) <= silentWithin + slack;
    const isBack = began > until + reconnectWithin || (began > gone + slack && !/\b503\b/.test(cause));
    return inTime && !isBack && ended >= from && /\b50[34]\b/.test(cause);
  }
  return false;
}

/** A steady stream of requests, and what became of them. */
export interface Load {
  /** The installation, whose requests wait for their turn and are counted. */
  readonly client: SystemClient;
  /** The phase that requests are counted in from now on. */
  enter(phase: string): void;
  /** Begins a disruption. */
  disrupt(kind: Disruption['kind'], what: string): Disruption;
  /** Failures that no disruption explains, a line each. */
  unexplained(): string[];
  /** What was sent, what failed and why, and how long it took by phase. */
  report(): string[];
  /** From now on nothing waits or is counted. */
  end(): void;
}

const causeOf = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return `${name === 'TypeError' ? message : name} ${cause?.code ?? cause?.message ?? ''}`.trim();
};

/** The route of an address, without what names one object. */
const routeOf = (url: string): string =>
  url
    .replace(/^.*?\/\/[^/]*/, '')
    .replace(/\?.*$/, '')
    .replace('/api/v4', '')
    .split('/')
    .map((part) => (/\d/.test(part) ? '*' : part))
    .join('/');

const percentile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

/**
 * Has `perSecond` requests a second go out of all that the test's clients want to send to an installation, by `fetch` or git, in the order in
 * which they come.
 */
export function steadyLoad(system: SystemClient, perSecond: number, chance: Random): Load {
  const sent: Sent[] = [];
  const disruptions: Disruption[] = [];
  let phase = 'calm';
  let next = Date.now();
  let counts = true;

  /** Waits for a turn; returns the time at which it has come. */
  async function turn(): Promise<number> {
    const now = Date.now();
    next = Math.max(next + 1_000 / perSecond, now);
    if (next > now) await pause(next - now);
    return Date.now();
  }
  const count = (what: string, began: number, cause?: string): void => {
    sent.push({ what, phase, began, ended: Date.now(), cause });
  };

  const plain = globalThis.fetch;
  const spy = jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
    if (!counts || !String(input).startsWith(system.url)) return plain(input, init);
    const what = `${init.method ?? 'GET'} ${routeOf(String(input))}`;
    const began = await turn();
    // Clients without a pool of their own: else all requests would stay with one gateway.
    const headers = new Headers(init.headers);
    if (chance.between(1, 3) === 1) headers.set('connection', 'close');
    try {
      const reply = await plain(input, { signal: AbortSignal.timeout(60_000), ...init, headers });
      const body = await reply.arrayBuffer();
      const { status } = reply;
      count(
        what,
        began,
        status >= 500 || status === 429 ? `${status} ${Buffer.from(body).toString().slice(0, 120)}` : undefined,
      );
      return new Response(body.byteLength === 0 ? null : body, { status, headers: reply.headers });
    } catch (error) {
      count(what, began, causeOf(error));
      throw error;
    }
  });

  async function git(args: string[], cwd?: string): Promise<{ stdout: string; stderr: string }> {
    if (!counts || !['fetch', 'push', 'ls-remote'].includes(args[0] ?? '')) return system.git(args, cwd);
    const began = await turn();
    const what = `git ${args[0]}`;
    try {
      const output = await system.git(args, cwd);
      count(what, began);
      return output;
    } catch (error) {
      const text = String((error as { stderr?: string }).stderr ?? error).replaceAll(system.rootToken, '…');
      count(what, began, text.trim().replace(/\s+/g, ' ').slice(0, 300));
      throw error;
    }
  }

  const failures = () => sent.filter(({ cause }) => cause !== undefined);
  const explanation = (one: Sent) => disruptions.find((disruption) => explains(disruption, one));
  const line = ({ what, phase: during, began, ended, cause }: Sent): string => {
    const near = disruptions.findLast(({ from }) => from <= ended);
    const since =
      near === undefined
        ? ''
        : `, ${began - near.from} to ${ended - near.from} ms after ${near.kind} ${near.what} (gone after ${near.gone - near.from})`;
    return `${during}: ${what}: ${cause}${since}`;
  };

  return {
    client: { ...system, git },
    enter: (name) => {
      phase = name;
    },
    disrupt(kind, what) {
      const disruption = {
        kind,
        what,
        from: Date.now(),
        gone: Number.POSITIVE_INFINITY,
        until: Number.POSITIVE_INFINITY,
      };
      disruptions.push(disruption);
      return disruption;
    },
    unexplained: () =>
      failures()
        .filter((one) => explanation(one) === undefined)
        .map(line),
    report() {
      const seconds =
        (Math.max(...sent.map(({ ended }) => ended)) - Math.min(...sent.map(({ began }) => began))) / 1_000;
      const causes = new Map<string, number>();
      for (const one of failures()) {
        const found = explanation(one);
        const kind = /\b(50\d|429)\b/.exec(one.cause ?? '')?.[0] ?? one.cause;
        const key = `${found === undefined ? 'unexplained' : `${found.kind} ${found.what}`}: ${kind}`;
        causes.set(key, (causes.get(key) ?? 0) + 1);
      }
      const phases = [...new Set(sent.map((one) => one.phase))].map((name) => {
        const took = sent.filter((one) => one.phase === name).map(({ began, ended }) => ended - began);
        const sorted = took.sort((one, other) => one - other);
        return `${name} ${sorted.length} requests p50 ${percentile(sorted, 0.5)} ms p99 ${percentile(sorted, 0.99)} ms`;
      });
      return [
        `${sent.length} requests, ${(sent.length / seconds).toFixed(1)}/s, ${failures().length} failed`,
        ...[...causes].map(([cause, times]) => `  ${times} × ${cause}`),
        ...phases.map((text) => `  ${text}`),
      ];
    },
    end() {
      counts = false;
      spy.mockRestore();
    },
  };
}
