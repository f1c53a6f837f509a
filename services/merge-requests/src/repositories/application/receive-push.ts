import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from '@switchyard/directory';
import { forbidden } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import {
  advertiseReceivePack,
  decodedBody,
  type ProposedPush,
  type PushHooks,
  type Repository,
  receivePack,
  type UpdateResult,
  zeroSha,
} from '../../git';
import { mayBegin } from '../domain/default-protection';
import { developer, type ProjectAccess, type ProtectedBranch } from '../domain/protected-branch';
import type { ProtectedTag } from '../domain/protected-tag';
import { refusalOf } from '../domain/push';
import type { RefUpdate } from '../domain/ref-change';
import type { RepositoryKind } from '../domain/repository';
import type { RefChanges } from './change-refs';
import type { CollaboratesOn } from './collaboration';
import type { OpenProjectRepository, ProjectRepository } from './open-project-repository';
import { branchOf, type ChangeRefsRequest, type PushedOptions } from './ref-change';
import type { Wikis } from './wikis';

faultPoints.push('push.received', 'push.decided');

type Headers = Readonly<Record<string, string>>;

/** Who pushes where. */
export interface PushRequest {
  readonly projectId: number;
  /** Which repository of the project. */
  readonly kind: RepositoryKind;
  readonly actorId: number;
  readonly access: ProjectAccess;
  /** What the work that options ask for has to know of the user. */
  readonly sender: Omit<PushedOptions, 'values'>;
}

/** A branch that a push made or moved, and the commit that it holds then. */
export interface PushedBranch {
  readonly name: string;
  readonly head: string;
}

/** What a client prints after a push of some branches, as lines for its screen; merge requests answer it. */
export type InviteFor = (
  pushed: Pick<ProjectRepository, 'project' | 'defaultBranch'>,
  branches: readonly PushedBranch[],
  viewer: Viewer,
) => Promise<string[]>;

/** What is made of the options of a push before anything of it moves; merge requests know what they mean. */
export type CheckPushOptions = (
  options: readonly string[],
  branches: readonly string[],
) => {
  /** Why the whole push is refused. */
  readonly refusals: readonly string[];
  /** What the user is told besides. */
  readonly warnings: readonly string[];
  /** The branches that the options are kept for. */
  readonly branches: readonly string[];
};

/** What receiving a push needs. */
export interface ReceivePushEdges {
  readonly open: OpenProjectRepository;
  readonly changes: Pick<RefChanges, 'changeRefsBy'>;
  readonly protectedBranches: { all(projectId: number): Promise<ProtectedBranch[]> };
  readonly protectedTags: { all(projectId: number): Promise<ProtectedTag[]> };
  readonly collaboratesOn: CollaboratesOn;
  readonly inviteFor: InviteFor;
  readonly checkOptions: CheckPushOptions;
  readonly wikis: Wikis;
}

/** The options that are kept of a push. */
type KeptOptions = ChangeRefsRequest['options'];

/** What a push into one kind of repository goes by. */
interface PushRules {
  /** Opens the repository. @throws AppError forbidden to who may not push to it */
  open(request: PushRequest): Promise<Repository>;
  decide(
    push: ProposedPush,
    request: PushRequest,
  ): Promise<Awaited<ReturnType<PushHooks['decide']>> & { readonly kept: KeptOptions }>;
  /**
   * Moves the refs by `move`, where the repository lies then, or has another process move them. Per update, undefined when
   * it moved, else why not. @param push.say takes lines for the user's screen
   */
  change(
    request: PushRequest,
    updates: readonly RefUpdate[],
    push: { readonly options: KeptOptions; readonly atomic: boolean; readonly say: (line: string) => void },
    move: (place: Repository) => Promise<readonly (string | undefined)[]>,
  ): Promise<readonly (string | undefined)[]>;
  /** Lines for the user's screen once it is done. */
  invite(request: PushRequest, results: readonly UpdateResult[]): Promise<string[]>;
}

const nothing: ReadonlySet<string> = new Set();

/** Problems with the options of one push that the client prints. */
const shownProblems = 10;

const spoken = (text: string): string => `Switchyard: ${text}`;

const pushedBranches = (updates: readonly { ref: string; new: string }[]): PushedBranch[] =>
  updates.flatMap(({ ref, new: head }) => {
    const name = head === zeroSha ? undefined : branchOf(ref);
    return name === undefined ? [] : [{ name, head }];
  });

/** A promise that is settled from outside. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((settle, refuse) => {
    resolve = settle;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

/**
 * The refs of a push move inside git's receiving end, between two of its hooks. This turns the two into one call of
 * `changeRefsBy`: `begin` returns when the intents are committed and locked, with the place where the refs move, or when
 * they are settled without one; `end` when the results are committed.
 */
function bracket(
  start: (
    move: (place: Repository) => Promise<readonly (string | undefined)[]>,
  ) => Promise<readonly (string | undefined)[]>,
) {
  const begun = deferred<Repository | readonly (string | undefined)[]>();
  const results = deferred<readonly (string | undefined)[]>();
  results.promise.catch(() => undefined);
  let running: Promise<readonly (string | undefined)[]> | undefined;
  return {
    async begin(): Promise<Repository | readonly (string | undefined)[]> {
      running = start((place) => {
        begun.resolve(place);
        return results.promise;
      });
      // Without a place: they were given up, or another process has moved them.
      running.then(begun.resolve, begun.reject);
      return begun.promise;
    },
    async end(reasons: readonly (string | undefined)[]): Promise<void> {
      results.resolve(reasons);
      await running;
    },
    /** What was begun and never ended is left to the reconciler. */
    async abandon(): Promise<void> {
      results.reject(new Error('the push broke off'));
      await running?.catch(() => undefined);
    },
  };
}

/**
 * Receives a push: rules decide, intents are committed, refs move, results are committed, the client hears of it (D7).
 */
export function receivePush({
  open,
  changes,
  protectedBranches,
  protectedTags,
  collaboratesOn,
  inviteFor,
  checkOptions,
  wikis,
}: ReceivePushEdges) {
  // The push is done: a line more or less on the client's screen must not make it look as if it had failed.
  async function invitation(
    { projectId, actorId, access, sender }: PushRequest,
    results: readonly UpdateResult[],
  ): Promise<string[]> {
    const branches = pushedBranches(results.filter(({ ok }) => ok));
    if (branches.length === 0) return [];
    try {
      const viewer = { userId: actorId, admin: access.admin, external: sender.external };
      return await inviteFor(await open(projectId), branches, viewer);
    } catch (error) {
      logger.warn({ err: error, project_id: projectId }, 'a push was answered without its links');
      return [];
    }
  }

  async function verdictsOn(push: ProposedPush, request: PushRequest) {
    const [{ defaultBranch, project }, rules, tagRules, collaborates] = await Promise.all([
      open(request.projectId),
      protectedBranches.all(request.projectId),
      protectedTags.all(request.projectId),
      // Looked up once more: whoever waited for the objects may have lost it.
      collaborationOf(request),
    ]);
    const { access } = request;
    const context = {
      rules,
      tagRules,
      access,
      defaultBranch,
      collaboratesOn: collaborates,
      mayBegin: mayBegin(project, access),
    };
    const options = checkOptions(
      push.options,
      pushedBranches(push.updates).map(({ name }) => name),
    );
    const refused = options.refusals.length > 0 ? 'its push options were refused' : undefined;
    const reasons = push.updates.map(
      (update) =>
        refusalOf({ ref: update.ref, before: update.old, after: update.new, rewrites: update.forced }, context) ??
        refused,
    );
    faultPoint('push.decided');
    return {
      verdicts: reasons.map((reason) =>
        reason === undefined ? ({ accept: true } as const) : ({ accept: false, reason } as const),
      ),
      messages: [
        ...new Set(reasons.filter((reason) => reason !== undefined && reason !== refused)),
        ...options.refusals.slice(0, shownProblems),
        ...options.warnings.slice(0, shownProblems),
      ].map((text) => spoken(text ?? '')),
      kept:
        options.branches.length === 0
          ? undefined
          : {
              given: { values: push.options, ...request.sender },
              refs: options.branches.map((branch) => `refs/heads/${branch}`),
            },
    };
  }

  /** What a user who is no Developer may push to; a Developer pushes by that level. */
  const collaborationOf = async ({ access, projectId, actorId }: PushRequest): Promise<ReadonlySet<string>> =>
    access.level >= developer ? nothing : collaboratesOn(projectId, actorId);

  async function openUnlessArchived(projectId: number): Promise<Repository> {
    const { project, repo } = await open(projectId);
    if (project.archived) throw forbidden('You cannot push to an archived project.');
    return repo;
  }

  const code: PushRules = {
    async open(request) {
      if (request.access.level < developer && (await collaborationOf(request)).size === 0)
        throw forbidden('You are not allowed to push code to this project.');
      return openUnlessArchived(request.projectId);
    },
    decide: verdictsOn,
    async change({ projectId, actorId }, updates, push, move) {
      const outcomes = await changes.changeRefsBy(
        { projectId, actorId, source: 'push', updates, ...push },
        (_changes, place) => move(place),
      );
      return outcomes.map((outcome) => (outcome.status === 'moved' ? undefined : outcome.reason));
    },
    invite: invitation,
  };

  // Protected branches and tags, options and merge requests are of the code.
  const wiki: PushRules = {
    async open({ projectId, access }) {
      if (access.level < developer) throw forbidden('You are not allowed to write to the wiki of this project.');
      await openUnlessArchived(projectId);
      return wikis.open(projectId);
    },
    decide: async ({ updates, options }) => ({
      verdicts: updates.map(() => ({ accept: true }) as const),
      messages: options.length === 0 ? [] : [spoken('Push options have no effect on a wiki.')],
      kept: undefined,
    }),
    change: ({ projectId }, updates, { atomic }, move) => wikis.changeRefsBy({ projectId, updates, atomic }, move),
    invite: async () => [],
  };

  const rulesFor = ({ kind }: PushRequest): PushRules => (kind === 'wiki' ? wiki : code);

  return {
    /**
     * The refs there are, for a client about to push; a wiki is made if need be. @throws AppError forbidden below
     * Developer, unless the user collaborates on a branch of the code, and in archived projects
     */
    async advertise(request: PushRequest, response: ServerResponse, head: Headers): Promise<void> {
      const repo = await rulesFor(request).open(request);
      await advertiseReceivePack(repo, response, { onStart: () => void response.writeHead(200, head) });
    },

    /** The push itself. @throws AppError forbidden as `advertise` does */
    async receive(
      request: PushRequest,
      encoding: string | undefined,
      body: IncomingMessage,
      response: ServerResponse,
      head: Headers,
    ): Promise<void> {
      const rules = rulesFor(request);
      const repo = await rules.open(request);
      let push: ReturnType<typeof bracket> | undefined;
      let options: KeptOptions;
      const said: string[] = [];
      const hooks: PushHooks = {
        decide: async (proposed) => {
          faultPoint('push.received');
          const { kept, ...decided } = await rules.decide(proposed, request);
          options = kept;
          return decided;
        },
        onIntent: (updates, atomic) => {
          const wanted = updates.map((update) => ({ ref: update.ref, before: update.old, after: update.new }));
          const say = (line: string) => void said.push(spoken(line));
          push = bracket((move) => rules.change(request, wanted, { options, atomic, say }, move));
          return push.begin();
        },
        onResult: async (results: readonly UpdateResult[]) => {
          await push?.end(results.map((result) => (result.ok ? undefined : result.reason)));
          return { messages: [...said, ...(await rules.invite(request, results))] };
        },
      };
      const onStart = () => void response.writeHead(200, head);
      try {
        const outcome = await receivePack(repo, decodedBody(body, encoding), response, hooks, { onStart });
        if (outcome.resultError !== undefined) {
          logger.error(
            { err: outcome.resultError, project_id: request.projectId },
            'the result of a push was not committed; the reconciler settles it',
          );
        }
      } finally {
        await push?.abandon();
      }
    },
  };
}

/** What `receivePush` gives. */
export type ReceivePush = ReturnType<typeof receivePush>;
