import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { AppError, isAppError } from '@switchyard/errors';
import { gitLimits } from './git-limits';
import { claimSlot, runToCompletion } from './git-work';
import { type BranchName, type RefName, refKind, refNameOf, type Sha, shaOf, type TagName, zeroSha } from './names';
import { describeObjects } from './objects';
import { flushPacket, maxPacketPayload, PacketReader, ProtocolError, packet } from './pkt-line';
import { isAncestor, listRefs, RefMovedError, type RefUpdate, updateRefs } from './refs';
import { migrateObjects, withObjectArea } from './repository';
import { GitCommandError, type GitOptions, placeOf, type Repository, runGit } from './run-git';
import { readAhead, unpackPush } from './unpack-push';

/** A move of a branch or tag that a client requests. */
export type ProposedUpdate = RefUpdate & {
  action: 'create' | 'update' | 'delete';
  /** An update after which the old commit can no longer be reached. Always false for tags, which have no forward. */
  forced: boolean;
} & ({ kind: 'branch'; name: BranchName } | { kind: 'tag'; name: TagName });

/** The decision about one proposed update. The client prints the reason next to the ref. */
export type Verdict = { accept: true } | { accept: false; reason: string };

/** The result of one update. */
export type UpdateResult = RefUpdate & ({ ok: true } | { ok: false; reason: string });

/** A push as the service sees it before anything has moved. */
export interface ProposedPush {
  updates: readonly ProposedUpdate[];
  /** `git push -o`. */
  options: readonly string[];
  /** The repository with the pushed objects in it, which no one else can see yet. */
  quarantine: Repository;
}

/** Where the service takes part in a push. */
export interface PushHooks {
  /**
   * Asked once, when the objects are known to be whole. One verdict per update, in order; `messages` are printed as
   * `remote:` lines. A rejection of the promise refuses the push.
   */
  decide(push: ProposedPush): Promise<{ verdicts: readonly Verdict[]; messages?: readonly string[] }>;
  /**
   * Called once with the accepted updates when their objects are in place and before any ref moves. A rejection refuses
   * them.
   * @param atomic whether all of them move, or none
   * @returns where the refs move: elsewhere when the repository was moved meanwhile, with the objects. Or how they have
   * moved, where another process has it then: per update, undefined when it moved, else why not
   */
  onIntent(updates: readonly ProposedUpdate[], atomic: boolean): Promise<Repository | readonly (string | undefined)[]>;
  /**
   * Called once after the refs were tried, before the client hears of it. Messages are printed as `remote:` lines.
   * A rejection changes nothing that has moved: the intent stays open for the reconciler.
   */
  onResult(results: readonly UpdateResult[]): Promise<{ messages?: readonly string[] } | undefined>;
}

/** Bounds of one push. */
export interface PushLimits extends GitOptions {
  /** Bytes of the pack; default 10 GiB. */
  maxPackBytes?: number;
  /** Objects of the pack; default 10,000,000. */
  maxObjects?: number;
  /** Ref updates; default 20,000. */
  maxUpdates?: number;
  /** Called before the first byte of the reply: what fails before it can still be answered with a status. */
  onStart?: () => void;
}

/** How a push ended. */
export interface PushOutcome {
  /** Every requested update, also those refused. Empty for the probe a client sends before a large body. */
  results: UpdateResult[];
  /** Set when the objects themselves were refused. */
  unpackError?: string;
  /** A failure of {@link PushHooks.onResult}, to be logged. */
  resultError?: unknown;
}

const agent = 'agent=switchyard';
const capabilities = `report-status delete-refs side-band-64k quiet atomic ofs-delta push-options object-format=sha1 ${agent}`;

/**
 * Serves `GET …/info/refs?service=git-receive-pack`: branches and tags, nothing else, since nothing else can be
 * pushed. Ends `response`.
 */
export async function advertiseReceivePack(
  repo: Repository,
  response: Writable,
  options: GitOptions & Pick<PushLimits, 'onStart'> = {},
): Promise<void> {
  const { onStart, ...bounds } = options;
  const refs = await listRefs(repo, ['refs/heads/', 'refs/tags/'], bounds);
  onStart?.();
  const lines = refs.length > 0 ? refs.map(({ sha, ref }) => `${sha} ${ref}`) : [`${zeroSha} capabilities^{}`];
  const packets = lines.map((line, at) => packet(at === 0 ? `${line}\0${capabilities}\n` : `${line}\n`));
  response.end(Buffer.concat([packet('# service=git-receive-pack\n'), flushPacket, ...packets, flushPacket]));
}

interface Command extends RefUpdate {
  problem: string | undefined;
}

interface PushRequest {
  commands: Command[];
  capabilities: Set<string>;
  options: string[];
}

const commandBytes = 16 * 1024 * 1024;
/** Options of one push; and their bytes together, of which a description takes the most. They are kept with the push. */
const maxOptions = 100;
const maxOptionBytes = 64 << 10;
/** Bytes of a refused request that are still read. */
const discardedBytes = 64 << 20;
const transferTimeoutMs = 3_600_000;
// Proxies give up on a silent connection after 30 to 60 seconds.
const keepAliveMs = 5_000;

/**
 * Serves `POST …/git-receive-pack`. Ends `response`. Nothing of a push can be seen before its refs move: 1. the
 * proposed updates are read; 2. the objects are unpacked into a quarantine and checked, each by itself and for what
 * they point at; 3. `decide`; 4. the accepted objects move into the store; 5. `onIntent`; 6. refs move by
 * compare-and-swap; 7. `onResult`; 8. the report. A request that breaks off leaves nothing behind and rejects, as does
 * one whose list of references is not there within `requestMs` ({@link gitLimits}), or that pauses for `idleMs`:
 * `request_timeout`. No process runs before 2.
 */
export async function receivePack(
  repo: Repository,
  request: Readable,
  response: Writable,
  hooks: PushHooks,
  limits: PushLimits = {},
): Promise<PushOutcome> {
  const disconnected = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) disconnected.abort(new Error('the client left'));
  };
  response.once('close', leave);
  response.on('error', leave);
  const signal = limits.signal ? AbortSignal.any([limits.signal, disconnected.signal]) : disconnected.signal;
  const options: GitOptions = { timeoutMs: transferTimeoutMs, config: limits.config, env: limits.env, signal };
  const { requestMs, idleMs } = gitLimits();
  const reader = new PacketReader(request, commandBytes, { idleMs: requestMs, until: Date.now() + requestMs });
  const push: PushRequest = { commands: [], capabilities: new Set(), options: [] };
  try {
    await readRequest(reader, push, limits.maxUpdates ?? 20_000);
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    await discard(reader);
    // A client that was promised side bands reads nothing else; the third is the one for the last words.
    limits.onStart?.();
    const text = push.capabilities.has('side-band-64k') ? `\u0003${cause.message}\n` : `ERR ${cause.message}\n`;
    response.end(packet(text));
    return { results: [], unpackError: cause.message };
  }
  if (push.commands.length === 0) {
    limits.onStart?.();
    response.end();
    return { results: [] };
  }
  reader.minimumRate = { idleMs, until: Date.now() + transferTimeoutMs };
  if (bringsObjects(push)) await reader.peek(readAhead);
  await claimSlot(placeOf(repo));
  limits.onStart?.();
  const report = new Report(response, push.capabilities);
  const alive = setInterval(() => report.keepAlive(), keepAliveMs);
  try {
    const outcome = await carryOut(repo, push, reader, report, hooks, limits, options);
    report.finish(outcome);
    return outcome;
  } catch (cause) {
    // After an error inside, the client still deserves an answer it can print.
    if (!signal.aborted) {
      const reason = isAppError(cause, 'unavailable') ? String(cause.body.message) : 'internal error';
      report.finish({
        results: push.commands.map((command) => ({ ...command, ok: false, reason })),
        unpackError: reason,
      });
    }
    throw cause;
  } finally {
    clearInterval(alive);
    response.off('close', leave);
  }
}

/**
 * Reads what is left of a refused request, within bounds: a client that still sends hears of no answer, and proxies
 * break off.
 */
async function discard(reader: PacketReader): Promise<void> {
  let left = discardedBytes;
  try {
    for await (const chunk of reader.remainder()) {
      left -= chunk.length;
      if (left < 0) return;
    }
  } catch {
    // The answer is the refusal, whatever becomes of the rest.
  }
}

const bringsObjects = (push: PushRequest): boolean => push.commands.some((command) => command.new !== zeroSha);

/** Fills `push`, which stays without commands for the probe that a client sends before a large body. */
async function readRequest(reader: PacketReader, push: PushRequest, maxUpdates: number): Promise<void> {
  for (;;) {
    const next = await reader.next();
    if (!next) {
      if (push.commands.length > 0) throw new ProtocolError('the request ended before its list of references');
      return;
    }
    if (next.flush) break;
    const [text = '', features] = next.data.toString('utf8').replace(/\n$/, '').split('\0');
    for (const feature of features?.split(' ') ?? []) if (feature !== '') push.capabilities.add(feature);
    // Whether the history under a shallow clone is here is found out by the connectivity check, which trusts no client.
    if (text.startsWith('shallow ')) continue;
    push.commands.push(parseCommand(text));
    if (push.commands.length > maxUpdates) throw new ProtocolError('too many references in one push');
  }
  if (push.commands.length === 0) return;
  if (push.capabilities.has('push-options')) await readOptions(reader, push.options);
  const seen = new Set<string>();
  for (const command of push.commands) {
    if (seen.has(command.ref)) command.problem ??= 'multiple updates of one reference';
    seen.add(command.ref);
  }
}

async function readOptions(reader: PacketReader, options: string[]): Promise<void> {
  let bytes = 0;
  for (let next = await reader.next(); next && !next.flush; next = await reader.next()) {
    bytes += next.data.length;
    if (options.length === maxOptions) throw new ProtocolError(`too many push options (maximum is ${maxOptions})`);
    if (bytes > maxOptionBytes)
      throw new ProtocolError(`the push options are too long (maximum is ${maxOptionBytes} bytes together)`);
    const text = next.data.toString('utf8').replace(/\n$/, '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git sends none, and the database stores none.
    if (!isUtf8(next.data) || /[\x00\n]/.test(text)) throw new ProtocolError('a push option is no line of text');
    options.push(text);
  }
}

function parseCommand(text: string): Command {
  const old = shaOf(text.slice(0, 40));
  const next = shaOf(text.slice(41, 81));
  if (!old || !next || text[40] !== ' ' || text[81] !== ' ')
    throw new ProtocolError('a line of the push cannot be read');
  const name = text.slice(82);
  const ref = refNameOf(name);
  const problem = !ref ? 'invalid reference name' : refKind(ref).kind === 'other' ? refusedNamespace(name) : undefined;
  return { ref: (ref ?? name) as RefName, old, new: next, problem };
}

function refusedNamespace(name: string): string {
  if (name.startsWith('refs/merge-requests/')) return 'merge request references are read-only';
  return /^refs\/(heads|tags)\//.test(name) ? 'invalid reference name' : 'only branches and tags can be pushed';
}

async function carryOut(
  repo: Repository,
  push: PushRequest,
  reader: PacketReader,
  report: Report,
  hooks: PushHooks,
  limits: PushLimits,
  options: GitOptions,
): Promise<PushOutcome> {
  return withObjectArea(repo, async (area) => {
    const refused = new Map<Command, string>();
    for (const command of push.commands) if (command.problem) refused.set(command, command.problem);
    if (bringsObjects(push)) {
      const problem = await unpackPush(area, reader, limits, options, () => report.bodyRead());
      if (problem) {
        report.say(problem.details);
        const results = push.commands.map(
          (command): UpdateResult => ({ ...bare(command), ok: false, reason: 'unpacker error' }),
        );
        return { results, unpackError: problem.summary };
      }
    }
    // From here on a client that disconnects no longer stops the push halfway: what has an intent gets its result.
    const settled: GitOptions = { ...options, signal: limits.signal };
    await refuseIncomplete(area, push.commands, refused, options);
    const proposed = await propose(
      area,
      push.commands.filter((command) => !refused.has(command)),
      options,
    );
    if (proposed.size > 0) {
      const updates = [...proposed.values()];
      const { verdicts, messages } = await hooks.decide({ updates, options: push.options, quarantine: area });
      if (verdicts.length !== updates.length)
        throw new Error(`${verdicts.length} verdicts on ${updates.length} updates`);
      report.say(messages ?? []);
      for (const [at, command] of [...proposed.keys()].entries()) {
        const verdict = verdicts[at]!;
        if (!verdict.accept) refused.set(command, verdict.reason);
      }
    }
    const atomic = push.capabilities.has('atomic');
    if (atomic && refused.size > 0)
      for (const command of push.commands) if (!refused.has(command)) refused.set(command, 'atomic push failed');
    const accepted = push.commands.filter((command) => !refused.has(command));
    const tried = new Set(accepted);
    let resultError: unknown;
    if (accepted.length > 0) {
      options.signal?.throwIfAborted();
      await migrateObjects(area);
      const place = await hooks.onIntent(
        accepted.map((command) => proposed.get(command)!),
        atomic,
      );
      const failed =
        'path' in place
          ? await runToCompletion(() => moveRefs(place, accepted, atomic, settled))
          : refusals(accepted, place);
      for (const [command, reason] of failed) refused.set(command, reason);
    }
    const results = push.commands.map((command): UpdateResult => {
      const reason = refused.get(command);
      return reason === undefined ? { ...bare(command), ok: true } : { ...bare(command), ok: false, reason };
    });
    if (accepted.length > 0) {
      const said = await hooks.onResult(results.filter((_, at) => tried.has(push.commands[at]!))).catch((cause) => {
        resultError = cause ?? new Error('unknown');
        return undefined;
      });
      report.say(said?.messages ?? []);
    }
    return resultError === undefined ? { results } : { results, resultError };
  });
}

const bare = ({ ref, old, new: next }: RefUpdate): RefUpdate => ({ ref, old, new: next });

/** Refuses updates to objects that are not there, to branches of anything but commits, and to histories with holes. */
async function refuseIncomplete(
  area: Repository,
  commands: readonly Command[],
  refused: Map<Command, string>,
  options: GitOptions,
): Promise<void> {
  const arriving = commands.filter((command) => command.new !== zeroSha && !refused.has(command));
  const found = await describeObjects(
    area,
    arriving.map((command) => command.new),
    options,
  );
  for (const [at, command] of arriving.entries()) {
    if (!found[at]) refused.set(command, 'missing necessary objects');
    else if (refKind(command.ref).kind === 'branch' && found[at].type !== 'commit')
      refused.set(command, 'a branch must point at a commit');
  }
  const present = arriving.filter((command) => !refused.has(command));
  if (present.length === 0 || (await isConnected(area, present, options))) return;
  for (const command of present)
    if (!(await isConnected(area, [command], options))) refused.set(command, 'missing necessary objects');
}

/** Whether these objects and all they reach are there. */
export async function isConnected(
  area: Repository,
  commands: readonly { readonly new: Sha }[],
  options: GitOptions,
): Promise<boolean> {
  const { code } = await runGit(area, ['rev-list', '--objects', '--stdin', '--quiet', '--not', '--all'], {
    ...options,
    input: `${commands.map((command) => command.new).join('\n')}\n`,
    okCodes: [0, 1, 128],
  });
  return code === 0;
}

async function propose(
  area: Repository,
  commands: readonly Command[],
  options: GitOptions,
): Promise<Map<Command, ProposedUpdate>> {
  const proposed = new Map<Command, ProposedUpdate>();
  for (const command of commands) {
    const what = refKind(command.ref);
    if (what.kind === 'other') continue;
    const action = command.new === zeroSha ? 'delete' : command.old === zeroSha ? 'create' : 'update';
    const forced = action === 'update' && what.kind === 'branch' && !(await isForward(area, command, options));
    proposed.set(command, { ...bare(command), ...what, action, forced });
  }
  return proposed;
}

async function isForward(area: Repository, { old, new: next }: Command, options: GitOptions): Promise<boolean> {
  // An old value that is no longer stored cannot be reached either.
  const [present] = await describeObjects(area, [old], options);
  return present !== undefined && (await isAncestor(area, old, next, options));
}

/** Updates that another process did not make, with its reasons. */
function refusals(commands: readonly Command[], reasons: readonly (string | undefined)[]): Map<Command, string> {
  return new Map(
    commands.flatMap((command, at): [Command, string][] => {
      const reason = reasons[at];
      return reason === undefined ? [] : [[command, reason]];
    }),
  );
}

/** Tries all in one transaction; unless the push is atomic, a failure of one is then found by trying each alone. */
async function moveRefs(
  repo: Repository,
  commands: readonly Command[],
  atomic: boolean,
  options: GitOptions,
): Promise<Map<Command, string>> {
  const failed = new Map<Command, string>();
  try {
    await updateRefs(repo, commands, { ...options, timeoutMs: 60_000 });
    return failed;
  } catch (cause) {
    if (commands.length === 1 || atomic) {
      for (const command of commands) failed.set(command, reasonFor(cause, command, atomic));
      return failed;
    }
  }
  for (const command of commands) {
    try {
      await updateRefs(repo, [command], { ...options, timeoutMs: 60_000 });
    } catch (cause) {
      failed.set(command, reasonFor(cause, command, false));
    }
  }
  return failed;
}

function reasonFor(cause: unknown, command: Command, atomic: boolean): string {
  if (cause instanceof RefMovedError)
    return cause.ref === command.ref ? 'reference has moved meanwhile: fetch first' : 'atomic push failed';
  if (cause instanceof AppError && cause.kind === 'conflict') return 'name conflicts with another reference';
  if (cause instanceof AppError || cause instanceof GitCommandError)
    return atomic ? 'atomic push failed' : 'failed to update reference';
  throw cause;
}

/** The reply: lines for the screen as they arise, and the report of results at the end. */
class Report {
  private readonly sideBand: boolean;
  private readonly wanted: boolean;
  private silent = true;

  constructor(
    private readonly response: Writable,
    capabilities: Set<string>,
  ) {
    this.sideBand = capabilities.has('side-band-64k');
    this.wanted = capabilities.has('report-status');
  }

  say(messages: readonly string[]): void {
    if (!this.sideBand) return;
    for (const message of messages) this.band(2, Buffer.from(`${printable(message)}\n`));
  }

  /** Allows keep-alives: while the client still sends, it need not be listening. */
  bodyRead(): void {
    this.silent = false;
  }

  keepAlive(): void {
    if (this.sideBand && !this.silent) this.write(packet(Buffer.from([1])));
  }

  finish({ results, unpackError }: Pick<PushOutcome, 'results' | 'unpackError'>): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    if (this.wanted) {
      const lines = results.map((result) =>
        result.ok ? `ok ${result.ref}\n` : `ng ${result.ref} ${printable(result.reason).replace(/\n/g, ' ')}\n`,
      );
      const body = Buffer.concat([
        packet(`unpack ${unpackError ?? 'ok'}\n`),
        ...lines.map((line) => packet(line)),
        flushPacket,
      ]);
      if (this.sideBand) this.band(1, body);
      else this.write(body);
    }
    this.response.end(this.sideBand ? flushPacket : undefined);
  }

  // A write to a response whose client has disconnected would surface as an error event of its own.
  private write(data: Buffer): void {
    if (!this.response.destroyed && !this.response.writableEnded) this.response.write(data);
  }

  private band(number: 1 | 2, data: Buffer): void {
    for (let at = 0; at < data.length; at += maxPacketPayload - 1) {
      this.write(packet(Buffer.concat([Buffer.from([number]), data.subarray(at, at + maxPacketPayload - 1)])));
    }
  }
}

// Escape sequences in a reason would be obeyed by the pusher's terminal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are dropped.
const printable = (text: string): string => text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '').slice(0, 2_000);
