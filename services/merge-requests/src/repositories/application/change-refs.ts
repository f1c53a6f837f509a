import { randomUUID } from 'node:crypto';
import type { Tx } from '@switchyard/database';
import { isAppError, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { type IssueReference, issueReferences } from '@switchyard/texts';
import {
  countCommits,
  describeObjects,
  listCommits,
  parseRefName,
  parseSha,
  type Ref,
  type RefName,
  type Repository,
  readCommits,
  readRefs,
  repositoryExists,
  runToCompletion,
  type Sha,
  updateRefs,
  zeroSha,
} from '../../git';
import { firstDefaultBranch } from '../domain/push';
import {
  branchOf,
  creates,
  deletes,
  type PushFacts,
  type RefChange,
  type RefChangeOutcome,
  type RefChangeSource,
  type RefUpdate,
  type Settlement,
  tagOf,
} from '../domain/ref-change';
import { fallbackDefaultBranch, type Home, initialDefault, type RepositoryProject } from '../domain/repository';
import type { NewDefault } from '../domain/settlement';
import type { FollowFormer } from './copies';
import { countedCommits, findReadme } from './push-facts';
import type { BeginRefChange, ChangeRefsRequest, LocalSubscriber, RefChanging, Say } from './ref-change';
import type { Storages } from './storages';

faultPoints.push(
  'push.intent_committed',
  'push.ref_moved',
  'push.result_committed',
  'push.subscriber_told',
  'push.told',
);

/**
 * Moves refs for real: per update, undefined when it moved, else why not.
 * @param repo where the project's repository lies as long as this runs; a move to another storage waits for it
 */
export type MoveRefs = (changes: readonly RefChange[], repo: Repository) => Promise<readonly (string | undefined)[]>;

type Settled = {
  settlements: readonly Settlement[];
  newDefault?: NewDefault | undefined;
  handedOver?: boolean | undefined;
};

/** Where intents are kept; see storage/ref-change.store.ts. */
export interface RefChangeLog {
  open(
    request: {
      pushId: string;
      projectId: number;
      actorId: number;
      source: RefChangeSource;
      cause: string | undefined;
      options?: ChangeRefsRequest['options'];
      updates: readonly RefUpdate[];
    },
    within?: Tx,
  ): Promise<RefChange[]>;
  settle(
    pushId: string,
    settle: (open: RefChange[], home: Home) => Promise<Settled>,
    also?: (tx: Tx, settlements: readonly Settlement[]) => Promise<void>,
  ): Promise<readonly Settlement[]>;
  settleAbandoned(
    settle: (
      open: RefChange[],
      later: (change: RefChange) => Promise<(RefChange & { done: boolean })[]>,
      home: Home,
    ) => Promise<Settled>,
  ): Promise<readonly Settlement[] | undefined>;
  claimUnpublished(): Promise<(RefChange & { attempts: number })[]>;
  markPublished(ids: readonly number[]): Promise<void>;
  retryPublishing(id: number, seconds: number): Promise<void>;
  prune(): Promise<void>;
}

/** A change whose intents are committed. */
export interface BegunChange {
  readonly projectId: number;
  readonly pushId: string;
  /** Whether all of its refs move, or none. */
  readonly atomic: boolean;
}

/** Per intent, undefined when its ref moved, else why not; none where they were settled before. */
export interface SettledChange {
  readonly reasons: readonly (string | undefined)[];
  /** What is said to the user, a line each. */
  readonly lines: readonly string[];
}

/**
 * Has another process settle a change: the project's repository was moved there after the change had begun.
 * @throws AppError unavailable; the reconciler settles it then
 */
export type SettleElsewhere = (change: BegunChange) => Promise<SettledChange>;

/** What moving refs needs. */
export interface RefChangeEdges {
  readonly log: RefChangeLog;
  readonly projects: { find(projectId: number): Promise<RepositoryProject | undefined> };
  readonly storages: Pick<Storages, 'at' | 'serves'>;
  readonly followFormer: FollowFormer;
  /** Undefined where this process has all storages. */
  readonly settleElsewhere: SettleElsewhere | undefined;
  /** Start of all addresses of this installation. */
  readonly externalUrl: string;
  /** Notified of every move, in this order. */
  readonly subscribers: readonly LocalSubscriber[];
}

/** Commits of one push whose messages may close issues, the newest. */
const closingCommits = 100;

/** Characters of a message that may close issues: reading it must not hold up the process. */
const closingCharacters = 65_536;

/** Branches of one push whose commits are counted; of the others the number is 0, as of a bulk push (G-2-21). */
const countedBranches = 50;

async function moveTogether(updates: readonly RefUpdate[], repo: Repository): Promise<readonly (string | undefined)[]> {
  try {
    await updateRefs(
      repo,
      updates.map(({ ref, before, after }) => ({
        ref: parseRefName(ref),
        old: parseSha(before),
        new: parseSha(after),
      })),
    );
    return updates.map(() => undefined);
  } catch (error) {
    if (!isAppError(error, 'conflict', 'unprocessable')) throw error;
    const reason = typeof error.body.message === 'string' ? error.body.message : 'The reference has changed';
    return updates.map(() => reason);
  }
}

async function moveEach(updates: readonly RefUpdate[], repo: Repository): Promise<readonly (string | undefined)[]> {
  const together = await moveTogether(updates, repo);
  if (together[0] === undefined || updates.length === 1) return together;
  const reasons: (string | undefined)[] = [];
  for (const update of updates) reasons.push(...(await moveTogether([update], repo)));
  return reasons;
}

/**
 * Moves refs by compare-and-swap: all or none where the change is atomic, else all at once, or each alone where one is
 * in the way of the others. Per update, undefined when it moved, else why not.
 */
export const moverOf = (atomic: boolean): typeof moveEach => (atomic ? moveTogether : moveEach);

/**
 * The machinery behind `ChangeRefs`: the same for pushes, whose refs git's receiving end moves, and for the reconciler.
 */
export interface RefChanges extends RefChanging {
  /**
   * `changeRefs` with a mover of the caller's own. It must not use the database: a connection is held while it runs. It is
   * not called where the repository was moved to another process meanwhile, which then moves the refs.
   */
  changeRefsBy(request: ChangeRefsRequest, move: MoveRefs): Promise<RefChangeOutcome[]>;
  /** Settles a change for the process that has begun it; see {@link SettleElsewhere}. */
  settleBegun: SettleElsewhere;
  /**
   * Settles what processes left behind, notifies subscribers who have not been notified. Safe in several processes at
   * once.
   */
  reconcile(): Promise<void>;
}

const givenUp = 'The change took too long and was given up.';

/** Builds the one way by which refs move (D7). */
export function refChanges(edges: RefChangeEdges): RefChanges {
  const { log, storages, followFormer, subscribers, externalUrl } = edges;

  /**
   * Issues that the messages of a push to the default branch close. The first push of a branch closes nothing: it brings
   * history. Messages that git does not give at once, since they are too large, close nothing: the push is done.
   */
  async function closesOf(repo: Repository, change: RefChange): Promise<readonly IssueReference[]> {
    if (creates(change) || deletes(change) || change.source === 'import') return [];
    const range = { from: [parseSha(change.after)], not: [parseSha(change.before)] };
    const commits = await listCommits(repo, { ...range, limit: closingCommits }).catch((error: unknown) => {
      if (!isAppError(error, 'too_large')) throw error;
      return [];
    });
    // Oldest first, as they were written.
    const messages = commits.map(({ message }) => message.slice(0, closingCharacters)).reverse();
    return issueReferences(messages, externalUrl).closing;
  }

  /**
   * Facts of the changes that are published, by id. The number of processes does not grow with the refs beyond
   * `countedBranches`.
   */
  async function factsOf(
    repo: Repository,
    changes: readonly RefChange[],
    defaultBranch: string,
    known: ChangeRefsRequest['facts'],
  ): Promise<ReadonlyMap<number, PushFacts>> {
    const published = changes.filter(
      ({ ref, source }) => source !== 'internal' && (branchOf(ref) ?? tagOf(ref)) !== undefined,
    );
    const facts = new Map<number, PushFacts>();
    const [only] = published;
    if (only === undefined) return facts;
    if (known !== undefined && published.length === 1) {
      const isDefault = branchOf(only.ref) === defaultBranch;
      const { readmePath } = known;
      return facts.set(only.id, {
        ...known,
        defaultBranch: isDefault,
        readmePath: isDefault ? readmePath : undefined,
        closes: isDefault ? await closesOf(repo, only) : [],
        since: creates(only) || deletes(only) ? undefined : only.before,
      });
    }
    const arrived = published.filter((change) => !deletes(change));
    const defaultRef = parseRefName(`refs/heads/${defaultBranch}`);
    const movedDefault = published.find(({ ref }) => ref === defaultRef);
    const [commits, trunk, readmePath, closes] = await Promise.all([
      describeObjects(
        repo,
        arrived.map(({ after }) => `${parseSha(after)}^{commit}`),
      ),
      arrived.some(creates) ? readRefs(repo, [defaultRef]).then((refs) => refs.get(defaultRef)?.sha) : undefined,
      // As it is now, not as the change left it: two changes published in the wrong order are both true.
      movedDefault === undefined ? undefined : findReadme(repo, defaultRef),
      movedDefault === undefined ? [] : closesOf(repo, movedDefault),
    ]);
    const commitOf = new Map(arrived.map(({ id }, at) => [id, commits[at]?.sha]));
    const shas = [...new Set(commits.flatMap((commit) => commit?.sha ?? []))];
    const counted = published
      .filter(({ id, ref }) => commitOf.get(id) !== undefined && branchOf(ref) !== undefined)
      .slice(0, countedBranches);
    const baseOf = (change: RefChange): Sha | undefined => {
      if (creates(change)) return change.ref === defaultRef ? undefined : trunk;
      return deletes(change) ? undefined : parseSha(change.before);
    };
    const countOf = async (change: RefChange): Promise<[number, number]> => {
      const base = baseOf(change);
      const not = base === undefined ? [] : [base];
      return [change.id, await countCommits(repo, { from: [commitOf.get(change.id)!], not, cap: countedCommits })];
    };
    const [named, ...counts] = await Promise.all([readCommits(repo, shas), ...counted.map(countOf)]);
    const titles = new Map(named.map(({ id, title }) => [id, title]));
    const commitCounts = new Map(counts);
    for (const change of published) {
      const commit = commitOf.get(change.id);
      facts.set(change.id, {
        commitCount: commitCounts.get(change.id) ?? 0,
        commitTitle: (commit && titles.get(commit)) ?? '',
        defaultBranch: change.ref === defaultRef,
        readmePath: change.ref === defaultRef ? readmePath : undefined,
        closes: change.ref === defaultRef ? closes : [],
        since: branchOf(change.ref) === undefined ? undefined : baseOf(change),
      });
    }
    return facts;
  }

  async function settlementsOf(
    repo: Repository,
    changes: readonly RefChange[],
    moved: readonly boolean[],
    project: RepositoryProject | undefined,
    known?: ChangeRefsRequest['facts'],
  ): Promise<Settled> {
    const created = changes.flatMap((change, at) =>
      moved[at] && creates(change) && change.source !== 'internal' ? (branchOf(change.ref) ?? []) : [],
    );
    const named = project === undefined ? '' : initialDefault(project);
    const first = project?.pushed === false ? firstDefaultBranch(named, created) : undefined;
    const happened = changes.filter((_, at) => moved[at]);
    const facts = await factsOf(repo, happened, first ?? (named || fallbackDefaultBranch), known);
    const settlements = changes.map(
      (change, at): Settlement => ({ change, moved: moved[at] ?? false, facts: facts.get(change.id) }),
    );
    const newDefault = first && project ? { branch: first, protection: project.defaultProtection } : undefined;
    return { settlements, newDefault };
  }

  /** Notifies the subscribers of moves; the reconciler retries what fails. */
  async function notifySubscribers(
    changes: readonly (RefChange & { attempts?: number })[],
    say: Say = () => undefined,
  ): Promise<void> {
    const notified: number[] = [];
    for (const change of changes) {
      if (change.source === 'internal') continue;
      try {
        for (const subscriber of subscribers) {
          await subscriber.afterRefChange(change, { changeRefs, beginRefChange }, say);
          faultPoint('push.subscriber_told');
        }
        notified.push(change.id);
      } catch (error) {
        logger.warn(
          { err: error, ref: change.ref, project_id: change.projectId },
          'a subscriber of ref changes failed',
        );
        if (change.options !== undefined)
          say('What the push options ask for could not be done yet; it is tried again.');
        await log
          .retryPublishing(change.id, Math.min(300, 2 ** (change.attempts ?? 0)))
          .catch((cause) => logger.warn({ err: cause }, 'the pause after a failed subscriber was not stored'));
      }
    }
    if (notified.length > 0) await log.markPublished(notified);
    faultPoint('push.told');
  }

  async function changeRefsBy(request: ChangeRefsRequest, move: MoveRefs): Promise<RefChangeOutcome[]> {
    if (request.updates.length === 0) return [];
    return runToCompletion(() => carryOut(request, move));
  }

  // From the intent on nothing is cut by a caller that disconnects: the refs would be settled by the reconciler, and
  // those who wait for them would wait.
  async function carryOut(request: ChangeRefsRequest, move: MoveRefs): Promise<RefChangeOutcome[]> {
    const { projectId, actorId, source, cause, options, updates } = request;
    const project = await edges.projects.find(projectId);
    const pushId = request.begun ?? randomUUID();
    if (request.begun === undefined) await log.open({ pushId, projectId, actorId, source, cause, options, updates });
    faultPoint('push.intent_committed');
    const left: { changes?: readonly RefChange[] } = {};
    let reasons: readonly (string | undefined)[] = [];
    const settlements = await log.settle(
      pushId,
      async (open, home) => {
        if (open.length !== updates.length) return { settlements: [] };
        if (!storages.serves(home.storage)) {
          left.changes = open;
          return { settlements: [], handedOver: true };
        }
        const moving: MoveRefs = async (changes, repo) => {
          reasons = await move(changes, repo);
          return reasons;
        };
        return settleAt(home, open, project, moving, request);
      },
      request.settled,
    );
    if (left.changes !== undefined) return settleLeft(request, pushId, left.changes);
    faultPoint('push.result_committed');
    await notifyOfMoved(projectId, settlements, request.say);
    return updates.map((update, at): RefChangeOutcome => {
      const settlement = settlements[at];
      return settlement?.moved
        ? { status: 'moved', change: settlement.change }
        : { status: 'stale', update, reason: reasons[at] ?? givenUp };
    });
  }

  async function settleAt(
    home: Home,
    open: readonly RefChange[],
    project: RepositoryProject | undefined,
    move: MoveRefs,
    { facts, beganElsewhere }: { readonly facts?: ChangeRefsRequest['facts']; readonly beganElsewhere?: boolean },
  ): Promise<Settled> {
    const projectId = open[0]?.projectId ?? 0;
    const repo = storages.at(home.storage, projectId);
    // The caller may have made its objects where the repository lay before.
    await followFormer(home, projectId, { beganElsewhere });
    const reasons = await move(open, repo);
    faultPoint('push.ref_moved');
    return settlementsOf(
      repo,
      open,
      reasons.map((reason) => reason === undefined),
      project,
      facts,
    );
  }

  const notifyOfMoved = (projectId: number, settlements: readonly Settlement[], say?: Say): Promise<void> =>
    notifySubscribers(
      settlements.filter(({ moved }) => moved).map(({ change }) => change),
      say,
    ).catch((error) =>
      logger.warn({ err: error, project_id: projectId }, 'notifying subscribers of ref changes was interrupted'),
    );

  /** Another process has the repository now: there the refs move, and the subscribers are notified. */
  async function settleLeft(
    { projectId, updates, atomic = false, say = () => undefined }: ChangeRefsRequest,
    pushId: string,
    left: readonly RefChange[],
  ): Promise<RefChangeOutcome[]> {
    if (edges.settleElsewhere === undefined) throw unavailable(new Error('the storage is not served'));
    const { reasons, lines } = await edges.settleElsewhere({ projectId, pushId, atomic });
    for (const line of lines) say(line);
    return updates.map((update, at): RefChangeOutcome => {
      const reason = at < reasons.length ? reasons[at] : givenUp;
      const change = left[at];
      return reason === undefined && change !== undefined
        ? { status: 'moved', change }
        : { status: 'stale', update, reason: reason ?? givenUp };
    });
  }

  const settleBegun: SettleElsewhere = ({ projectId, pushId, atomic }) =>
    runToCompletion(async () => {
      const project = await edges.projects.find(projectId);
      const lines: string[] = [];
      let reasons: readonly (string | undefined)[] = [];
      const settlements = await log.settle(pushId, async (open, home) => {
        if (open.length === 0) return { settlements: [] };
        const moving: MoveRefs = async (changes, repo) => {
          reasons = await moverOf(atomic)(changes, repo);
          return reasons;
        };
        return settleAt(home, open, project, moving, { beganElsewhere: true });
      });
      await notifyOfMoved(projectId, settlements, (line) => void lines.push(line));
      return { reasons, lines };
    });

  function changeRefs(request: ChangeRefsRequest): Promise<RefChangeOutcome[]> {
    return changeRefsBy(request, moverOf(false));
  }

  const beginRefChange: BeginRefChange = async (tx, { projectId, actorId, source, cause, updates }) => {
    const pushId = randomUUID();
    await log.open({ pushId, projectId, actorId, source, cause, updates }, tx);
    return pushId;
  };

  /** Whether an abandoned intent was carried out, read from the ref and from what was requested afterwards. */
  async function happened(
    change: RefChange,
    now: string,
    later: (change: RefChange) => Promise<(RefChange & { done: boolean })[]>,
  ): Promise<boolean> {
    if (now === change.after) return true;
    // The ref may have moved on from here: then a chain of later changes leads to its present commit, or to one known
    // to be done.
    let reached: string = change.after;
    for (const next of await later(change)) {
      if (next.before !== reached) continue;
      if (next.done || next.after === now) return true;
      reached = next.after;
    }
    return false;
  }

  async function settleAbandoned(): Promise<void> {
    for (;;) {
      const settlements = await log.settleAbandoned(async (open, later, home) => {
        const projectId = open[0]?.projectId ?? 0;
        const repo = storages.at(home.storage, projectId);
        const project = await edges.projects.find(projectId);
        const refs = (await repositoryExists(repo))
          ? await readRefs(
              repo,
              open.map(({ ref }) => parseRefName(ref)),
            )
          : new Map<RefName, Ref>();
        const moved: boolean[] = [];
        for (const change of open) {
          moved.push(await happened(change, refs.get(parseRefName(change.ref))?.sha ?? zeroSha, later));
        }
        return settlementsOf(repo, open, moved, project);
      });
      if (settlements === undefined) return;
      logger.info(
        { refs: settlements.map(({ change, moved }) => [change.ref, moved]) },
        'abandoned ref changes settled',
      );
      await notifySubscribers(settlements.filter(({ moved }) => moved).map(({ change }) => change));
    }
  }

  return {
    changeRefs,
    beginRefChange,
    changeRefsBy,
    settleBegun,
    async reconcile() {
      await settleAbandoned().catch((error) =>
        logger.error({ err: error }, 'an abandoned ref change could not be settled'),
      );
      for (;;) {
        const unpublished = await log.claimUnpublished();
        if (unpublished.length === 0) break;
        await notifySubscribers(unpublished);
      }
      await log.prune();
    },
  };
}
