import { forbidden, invalid, notFound, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Caller } from '../../callers';
import { commitExists, listCommitIds, parseSha, type Repository, resolveRevision, type Sha, shaOf } from '../../git';
import { developer } from '../../repositories';
import { type BroughtIn, type DeploymentStatus, type DeploymentView, decideStatus } from '../domain/deployment';
import { nameProblem } from '../domain/environment';
import type { DeploymentEdges } from './deployment.edges';

faultPoints.push('deployment.committed');

/** A deployment as an outside CI reports it. */
export interface DeploymentCommand {
  readonly projectId: number;
  readonly environment: string;
  readonly sha: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly status: DeploymentStatus;
}

/** Commits whose merge requests one deployment brings in: the newest ones of what is new on the environment. */
const maxCommits = 20_000;
/** Tries while other deployments of the same environment succeed in between. */
const maxTries = 5;

/** Deployments: make, update, delete. Writing takes Developer. */
export function manageDeployments({
  deployments,
  openRepository,
  clock,
}: Pick<DeploymentEdges, 'deployments' | 'openRepository' | 'clock'>) {
  const requireDeveloper = ({ level }: Caller): void => {
    if (level < developer) throw forbidden();
  };

  async function existing(projectId: number, id: number): Promise<DeploymentView> {
    const view = await deployments.find(projectId, id);
    if (view === undefined) throw notFound();
    return view;
  }

  async function broughtIn(repo: Repository, projectId: number, environment: string, sha: Sha): Promise<BroughtIn> {
    const last = await deployments.lastOf(projectId, environment);
    const not = last === undefined ? [] : [parseSha(last.sha)];
    return { since: last?.id, commits: await listCommitIds(repo, { from: [sha], not, limit: maxCommits }) };
  }

  /** Saves what git said of an environment, which is asked again when another deployment succeeds in between. */
  async function saveCurrent<T extends string | number>(
    ask: () => Promise<BroughtIn | undefined>,
    save: (found: BroughtIn | undefined) => Promise<T | 'outdated'>,
  ): Promise<T> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const outcome = await save(await ask());
      if (outcome === 'outdated') continue;
      faultPoint('deployment.committed');
      return outcome as T;
    }
    throw unavailable();
  }

  return {
    /** @throws AppError invalid, with all problems at once */
    async create(caller: Caller, command: DeploymentCommand): Promise<DeploymentView> {
      requireDeveloper(caller);
      const { projectId, environment, tag, status } = command;
      const { repo } = await openRepository(projectId);
      const sha = shaOf(command.sha);
      const exists = sha !== undefined && (await commitExists(repo, sha));
      const revision = await resolveRevision(repo, command.ref, { prefer: tag ? 'tag' : 'branch' });
      const wrongName = nameProblem(environment);
      const problems = {
        ...(wrongName === undefined ? {} : { environment: [wrongName] }),
        ...(exists ? {} : { sha: ['The commit does not exist'] }),
        ...(revision?.kind === (tag ? 'tag' : 'branch') ? {} : { ref: ['The branch or tag does not exist'] }),
      };
      if (sha === undefined || Object.keys(problems).length > 0) throw invalid(problems);
      const ref = (revision?.ref ?? command.ref).replace(/^refs\/(?:heads|tags)\//, '');
      const id = await saveCurrent(
        async () => (status === 'success' ? broughtIn(repo, projectId, environment, sha) : undefined),
        (found) =>
          deployments.add({ projectId, environment, userId: caller.userId, sha, ref, tag, status }, found, clock()),
      );
      return existing(projectId, id);
    },

    /** @throws AppError not_found; invalid for a status that does not follow */
    async update(caller: Caller, projectId: number, id: number, status: DeploymentStatus): Promise<DeploymentView> {
      requireDeveloper(caller);
      const { deployment, environment } = await existing(projectId, id);
      if (!decideStatus(deployment.status, status)) return existing(projectId, id);
      const { repo } = await openRepository(projectId);
      await saveCurrent(
        async () =>
          status === 'success' ? broughtIn(repo, projectId, environment.name, parseSha(deployment.sha)) : undefined,
        (found) => deployments.setStatus({ projectId, id }, caller.userId, status, found, clock()),
      );
      return existing(projectId, id);
    },

    /** @throws AppError not_found; bad_request; precondition_failed */
    async remove(caller: Caller, projectId: number, id: number, unmodifiedSince: Date | undefined): Promise<void> {
      requireDeveloper(caller);
      await deployments.remove(projectId, id, unmodifiedSince);
    },
  };
}

/** What `manageDeployments` gives. */
export type ManageDeployments = ReturnType<typeof manageDeployments>;
