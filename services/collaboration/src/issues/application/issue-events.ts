import type { PageInfo, PageRequest } from '@switchyard/database';
import type { ResourceEvent, ResourceEventKind } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import type { IssueView } from '../domain/issue-view';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { visibleIssue } from './read-issue';

/** What became of the state, the labels and the milestone of issues. */
export interface IssueEventStore {
  page(
    issueId: number,
    kind: ResourceEventKind,
    request: PageRequest,
  ): Promise<{ rows: ResourceEvent[]; page: PageInfo }>;
  find(issueId: number, kind: ResourceEventKind, id: number): Promise<ResourceEvent | undefined>;
}

/** One page of the events of a kind, oldest first. Fails with `not_found`. */
export const listEventsOfIssue =
  (edges: Pick<IssueEdges, 'issues'>, events: IssueEventStore) =>
  async (
    caller: IssueCaller,
    key: IssueNumber,
    kind: ResourceEventKind,
    request: PageRequest,
  ): Promise<{ view: IssueView; rows: ResourceEvent[]; page: PageInfo }> => {
    const view = await visibleIssue(edges, caller, key);
    return { view, ...(await events.page(view.issue.id, kind, request)) };
  };

/** One event. Fails with `not_found`. */
export const readEventOfIssue =
  (edges: Pick<IssueEdges, 'issues'>, events: IssueEventStore) =>
  async (
    caller: IssueCaller,
    key: IssueNumber,
    kind: ResourceEventKind,
    id: number,
  ): Promise<{ view: IssueView; event: ResourceEvent }> => {
    const view = await visibleIssue(edges, caller, key);
    const event = await events.find(view.issue.id, kind, id);
    if (event === undefined) throw notFound();
    return { view, event };
  };
