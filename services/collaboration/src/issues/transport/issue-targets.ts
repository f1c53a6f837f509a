import { notFound } from '@switchyard/errors';
import { type CallContext, viewerOf } from '@switchyard/rpc';
import type { readIssueTarget, readIssueTargets } from '../application/read-issue-targets';
import type { IssueView } from '../domain/issue-view';
import { issueUrl, presentIssue } from '../presenters/issue.presenter';

/** Reads issues that rows of others point at. */
export interface IssueTargetUseCases {
  readonly readIssueTargets: ReturnType<typeof readIssueTargets>;
  readonly readIssueTarget: ReturnType<typeof readIssueTarget>;
}

type Reader = Pick<CallContext, 'actor' | 'requestId'>;

/** An issue as it is shown to a reader. */
interface ShownIssue {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  /** Its public representation, JSON. */
  readonly json: Buffer;
  readonly webUrl: string;
  readonly title: string;
}

/** Shows issues that rows of others point at. */
export interface IssueTargets {
  /** Those of `ids` that the reader may read, by id. */
  byIds(ids: readonly number[], reader: Reader, withSubscribed: boolean): Promise<Map<number, ShownIssue>>;
  /** The issue with a number. Fails with `not_found` when there is none that the reader may read. */
  find(projectId: number, iid: number, reader: Reader): Promise<ShownIssue>;
}

/** Issues as targets, as this service shows them. */
export function issueTargets(
  useCases: IssueTargetUseCases,
  { externalUrl, clock }: { readonly externalUrl: string; readonly clock: () => Date },
): IssueTargets {
  const shown = (view: IssueView, subscribed: boolean | undefined): ShownIssue => {
    const { id, iid, projectId, title } = view.issue;
    const body = presentIssue(view, { externalUrl, context: 'instance', now: clock() });
    const json = Buffer.from(JSON.stringify(subscribed === undefined ? body : { ...body, subscribed }));
    return { id, iid, projectId, title, json, webUrl: issueUrl(view, externalUrl) };
  };
  return {
    async byIds(ids, reader, withSubscribed) {
      const found = await useCases.readIssueTargets(viewerOf(reader), ids, withSubscribed);
      return new Map(found.map(({ view, subscribed }) => [view.issue.id, shown(view, subscribed)]));
    },
    async find(projectId, iid, reader) {
      const view = await useCases.readIssueTarget(viewerOf(reader), { projectId, iid });
      if (view === undefined) throw notFound();
      return shown(view, undefined);
    },
  };
}
