import type { Tx } from '@switchyard/database';
import type { IssueReference, IssueReferences } from '@switchyard/texts';
import { mayUpdateIssue } from '../domain/issue';
import { editIssue } from '../domain/issue-edit';
import type { IssueLink, LinkedMergeRequest } from '../domain/issue-link';
import type { ReferringProject } from '../domain/issue-project';
import type { ChangeIssue } from './issue.ports';
import type { IssueLinks, ReferenceDirectory } from './issue-reference.ports';

/** What happens to a merge request as far as the issues it names depend on it. */
export interface ReferringEvent {
  readonly mergeRequest: LinkedMergeRequest;
  /** 0 when no user caused it. */
  readonly actorId: number;
  readonly fact: /** Its texts are new. */
    | { readonly kind: 'written'; readonly references: IssueReferences }
    | { readonly kind: 'merged'; readonly targetBranch: string }
    /** It was closed or reopened, or its state was republished. */
    | { readonly kind: 'stood' }
    | { readonly kind: 'deleted' };
}

/** Commits that were pushed to the default branch of a project, by the issues that their messages close. */
export interface ClosingPush {
  readonly projectId: number;
  readonly actorId: number;
  readonly closes: readonly IssueReference[];
}

/** What following references works with. */
interface ReferenceEdges {
  readonly links: IssueLinks;
  readonly directory: ReferenceDirectory;
  readonly changeIssue: ChangeIssue;
  readonly clock: () => Date;
}

async function linksOf(
  tx: Tx,
  { directory }: ReferenceEdges,
  from: ReferringProject,
  { closing, mentioned }: IssueReferences,
): Promise<IssueLink[]> {
  const projects = new Map<string, number | undefined>();
  const links: IssueLink[] = [];
  const add = async (references: readonly IssueReference[], closes: boolean): Promise<void> => {
    for (const { path, iid } of references) {
      if (!projects.has(path)) projects.set(path, await directory.referenced(tx, from, path));
      const projectId = projects.get(path);
      if (projectId !== undefined) links.push({ projectId, iid, closes });
    }
  };
  await add(closing, true);
  await add(mentioned, false);
  return links;
}

/** Closes those of these issues that the actor may close, in this order, by id. */
async function closeAll(
  tx: Tx,
  { directory, changeIssue, clock }: ReferenceEdges,
  actorId: number,
  issues: readonly { readonly id: number; readonly projectId: number }[],
  byMergeRequestId?: number,
): Promise<void> {
  const actor = await directory.actingUser(tx, actorId);
  if (actor === undefined) return;
  const now = clock();
  for (const { id, projectId } of issues) {
    const level = await directory.levelIn(tx, actor, projectId);
    if (level === undefined) continue;
    await changeIssue(tx, id, actorId, (locked) =>
      mayUpdateIssue(locked.issue, locked.assigneeIds, { ...actor, level })
        ? editIssue(locked, { stateEvent: 'close', byMergeRequestId }, actorId, now)
        : undefined,
    );
  }
}

/**
 * Closes the issues that the messages of commits close which were pushed to the default branch, also in other projects,
 * in the name of the user who pushed; an issue that this user may not edit stays open. Within the transaction that
 * handles the event.
 */
export const closeIssuesOfPush =
  (edges: ReferenceEdges) =>
  async (tx: Tx, { projectId, actorId, closes }: ClosingPush): Promise<void> => {
    const project = await edges.directory.project(tx, projectId);
    if (project === undefined) return;
    const links = await linksOf(tx, edges, project, { closing: closes, mentioned: [], mergeRequests: [], epics: [] });
    await closeAll(tx, edges, actorId, await edges.links.open(tx, links));
  };

/**
 * Stores which issues a merge request names. When it lands in the default branch, closes those that it closes, in the
 * name of the user who merged it; an issue that this user may not edit stays open. All within the transaction that
 * handles the event.
 */
export const followIssueReferences =
  (edges: ReferenceEdges) =>
  async (tx: Tx, { mergeRequest, actorId, fact }: ReferringEvent): Promise<void> => {
    const { links, directory } = edges;
    if (fact.kind === 'deleted') return links.remove(tx, mergeRequest.id);
    if (fact.kind === 'stood') return links.setClosed(tx, mergeRequest);
    const project = await directory.project(tx, mergeRequest.projectId);
    if (project === undefined) return;
    if (fact.kind === 'written') {
      return links.replace(tx, mergeRequest, await linksOf(tx, edges, project, fact.references));
    }
    if (project.defaultBranch !== fact.targetBranch) return;
    await closeAll(tx, edges, actorId, await links.closedBy(tx, mergeRequest.id), mergeRequest.id);
  };
