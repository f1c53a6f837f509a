import type { PageInfo, PageRequest } from '@switchyard/database';
import { AppError, conflict, forbidden, notFound } from '@switchyard/errors';
import type { EpicIssueLink, Neighbours } from '../../epic-trees';
import type { IssueCaller, IssueList, Issues } from '../../issues';
import { mayManageEpics } from '../domain/epic';
import type { EpicView } from '../domain/epic-view';
import type { EpicEdges, EpicNumber } from './epic.ports';
import { visibleEpic } from './read-epic';

type IssueView = Awaited<ReturnType<IssueList['page']>>['rows'][number];

/** What the use cases of the issues of epics work with. */
export interface EpicIssueEdges extends Pick<EpicEdges, 'epics' | 'trees'> {
  readonly issues: Issues['parts'];
  readonly lists: Pick<IssueList, 'page'>;
}

/** The link of an issue to its epic, and both. */
export interface LinkedIssue {
  readonly link: EpicIssueLink;
  readonly epic: EpicView;
  readonly issue: IssueView;
}

const inOrder = (perPage: number): PageRequest => ({
  mode: 'offset',
  page: 1,
  perPage,
  orderBy: 'epic_position',
  sort: 'asc',
});

const viewerOf = ({ userId, admin, external }: IssueCaller) => ({ userId, admin, external });

/** The answer where something cannot stand between the neighbours that a request names (G-4.18-10). */
export const notMoved = (thing: string): AppError =>
  new AppError('bad_request', { message: { error: `${thing} could not be moved!` } });

/** An epic that the caller may change. Fails with `not_found`, `forbidden`. */
export async function managedEpic(
  edges: Pick<EpicEdges, 'epics'>,
  caller: IssueCaller,
  key: EpicNumber,
): Promise<EpicView> {
  const view = await visibleEpic(edges, caller, key);
  if (!mayManageEpics(caller)) throw forbidden();
  return view;
}

/** One page of the issues of an epic that the caller may see (G-4.18-7). Fails with `not_found`. */
export const listEpicIssues =
  (edges: EpicIssueEdges) =>
  async (
    caller: IssueCaller,
    key: EpicNumber,
    request: PageRequest,
  ): Promise<{ rows: IssueView[]; page: PageInfo }> => {
    const { epic } = await visibleEpic(edges, caller, key);
    return edges.lists.page({ scope: { epicId: epic.id }, filter: {}, viewer: viewerOf(caller) }, request);
  };

/**
 * Makes an issue part of an epic (G-4.18-8); one of another epic is moved. Fails with `not_found`, `forbidden`; with
 * `conflict` where it is part of this epic already, `invalid` where it cannot be.
 */
export const assignEpicIssue =
  (edges: EpicIssueEdges) =>
  async (caller: IssueCaller, key: EpicNumber, issueId: number): Promise<LinkedIssue> => {
    const epic = await managedEpic(edges, caller, key);
    const [found] = await edges.issues.viewsByIds([issueId], viewerOf(caller));
    if (found === undefined) {
      throw new AppError('not_found', 'No matching issue found. Make sure that you are adding a valid issue.');
    }
    if (found.epic?.id === epic.epic.id) throw conflict('Issue(s) already assigned');
    await edges.issues.setEpic(issueId, caller.userId, epic.epic.id);
    const [link, [issue]] = await Promise.all([
      edges.trees.link({ issueId }),
      edges.issues.viewsByIds([issueId], viewerOf(caller)),
    ]);
    if (link === undefined || issue === undefined) throw notFound();
    return { link, epic, issue };
  };

async function linkOf(
  edges: EpicIssueEdges,
  caller: IssueCaller,
  epic: EpicView,
  linkId: number,
): Promise<LinkedIssue> {
  const link = await edges.trees.link({ id: linkId });
  if (link === undefined || link.epicId !== epic.epic.id) throw notFound();
  const [issue] = await edges.issues.viewsByIds([link.issueId], viewerOf(caller));
  if (issue === undefined) throw notFound();
  return { link, epic, issue };
}

/** Takes an issue out of an epic (G-4.18-9); answers the link as it was. Fails with `not_found`, `forbidden`. */
export const removeEpicIssue =
  (edges: EpicIssueEdges) =>
  async (caller: IssueCaller, key: EpicNumber, linkId: number): Promise<LinkedIssue> => {
    const epic = await managedEpic(edges, caller, key);
    const linked = await linkOf(edges, caller, epic, linkId);
    await edges.issues.setEpic(linked.link.issueId, caller.userId, null);
    return linked;
  };

/**
 * Moves an issue among those of its epic (G-4.18-10); answers the first hundred of these. Fails with `not_found`,
 * `forbidden`, `bad_request`.
 */
export const moveEpicIssue =
  (edges: EpicIssueEdges) =>
  async (
    caller: IssueCaller,
    key: EpicNumber,
    linkId: number,
    neighbours: Neighbours,
  ): Promise<{ rows: IssueView[]; page: PageInfo }> => {
    const epic = await managedEpic(edges, caller, key);
    const { link } = await linkOf(edges, caller, epic, linkId);
    const moved = await edges.trees.reorder('issues', epic.epic.id, link.id, neighbours);
    if (!moved) throw notMoved('Issue');
    return listEpicIssues(edges)(caller, key, inOrder(100));
  };
