import type { Tx } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Viewer } from '../../directory';
import { branchNameProblems } from '../../rules';
import {
  decideFork,
  decideRelation,
  type ForkFacts,
  type ForkSettings,
  type RecordedCopy,
  type RelationFacts,
} from '../domain/fork';
import type { ProjectCreation } from '../domain/project-change';
import type { ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** Fork relations in the database; each change is one transaction with its events and directory changes. */
export interface ForkStore {
  /**
   * Locks namespace and source, decides and inserts the fork; returns its id.
   * @throws AppError conflict for a taken name or path; what `decide` throws
   */
  create(
    request: {
      readonly sourceId: number;
      readonly namespaceId: number;
      readonly actorId: number;
      readonly name: string | undefined;
      readonly path: string | undefined;
    },
    decide: (facts: ForkFacts) => ProjectCreation,
  ): Promise<number>;
  /**
   * Locks both projects, decides and makes the relation; the forks that descend from the project change their network
   * with it. False when there is no such project.
   */
  link(
    request: { readonly id: number; readonly sourceId: number; readonly actorId: number },
    decide: (facts: RelationFacts) => { readonly networkId: number },
  ): Promise<boolean>;
  /**
   * Removes the relations of a project to its source and of its forks to it; false when it is no fork.
   * @throws AppError precondition_failed when it changed after `unmodifiedSince`
   */
  unlink(id: number, actorId: number, unmodifiedSince?: Date): Promise<boolean>;
  /** Records how the copy of a repository ended; within the transaction that consumes the event. */
  copied(tx: Tx, id: number, copy: RecordedCopy): Promise<void>;
}

/** Whether a project has a branch. @throws AppError unavailable when its repository cannot be asked */
export type HasBranch = (
  projectId: number,
  branch: string,
  asker: { readonly userId: number; readonly requestId: string },
) => Promise<boolean>;

/** What forks need. */
export interface ForkEdges {
  readonly projects: ProjectStore;
  readonly forks: ForkStore;
  readonly hasBranch: HasBranch;
}

/** A fork to make. */
export interface ForkProjectCommand {
  readonly sourceId: number;
  /** Id or full path; the actor's own namespace when undefined. */
  readonly namespace: string | undefined;
  readonly settings: ForkSettings;
  readonly requestId: string;
}

async function found(projects: ProjectStore, id: number, actor: Viewer): Promise<ProjectRow> {
  const project = await projects.find(id, actor);
  if (project === undefined) throw notFound('Project');
  return project;
}

/**
 * Makes a fork; merge-requests copies the repository (ADR 38). Fails with `not_found`, `forbidden`, `conflict`,
 * `invalid`; with `unavailable` where one branch is to be copied and cannot be looked for.
 */
export const forkProject =
  ({ projects, forks, hasBranch }: ForkEdges) =>
  async (
    actor: Viewer,
    { sourceId, namespace, settings: given, requestId }: ForkProjectCommand,
  ): Promise<ProjectRow> => {
    const namespaceId = await (namespace === undefined
      ? projects.ownNamespace(actor.userId)
      : projects.findNamespace(namespace));
    const settings = { ...given, ...(given.name === undefined ? {} : { name: displayText(given.name) }) };
    const { name, path, branch } = settings;
    // Asked before the transaction, and judged within it: who may not fork the project learns nothing of its branches.
    const asked = branch !== undefined && branchNameProblems(branch).length === 0;
    const branchMissing = asked && !(await hasBranch(sourceId, branch, { userId: actor.userId, requestId }));
    const id = await forks.create({ sourceId, namespaceId, actorId: actor.userId, name, path }, (facts) =>
      decideFork({ actor, settings, branchMissing }, facts),
    );
    return found(projects, id, actor);
  };

/** Makes a project a fork of another one. Fails with `not_found`, `forbidden`, `conflict`, `invalid`. */
export const createForkRelation =
  ({ projects, forks }: Pick<ForkEdges, 'projects' | 'forks'>) =>
  async (actor: Viewer, id: number, forkedFrom: string): Promise<ProjectRow> => {
    const sourceId = await projects.findId(forkedFrom);
    const made = await forks.link({ id, sourceId, actorId: actor.userId }, (facts) => decideRelation(actor, facts));
    if (!made) throw notFound('Project');
    return found(projects, id, actor);
  };

/** Removes the relation of a fork to its source; false when it is no fork. Fails with `precondition_failed`. */
export const deleteForkRelation =
  ({ forks }: Pick<ForkEdges, 'forks'>) =>
  (actorId: number, id: number, unmodifiedSince?: Date): Promise<boolean> =>
    forks.unlink(id, actorId, unmodifiedSince);
