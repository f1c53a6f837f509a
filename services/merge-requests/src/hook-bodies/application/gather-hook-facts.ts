import { commitsNamed, type HookEvent } from '../domain/hook-event';
import type { HookFacts, HookMergeRequestView } from '../domain/hook-facts';
import type { CommitReader, HookStore, WantedCommits } from './hook-facts.ports';

/** What facts are gathered with. */
export interface HookFactEdges {
  readonly store: HookStore;
  readonly readCommits: CommitReader;
}

const of = <Kind extends HookEvent['kind']>(events: readonly HookEvent[], kind: Kind) =>
  events.filter((event): event is Extract<HookEvent, { kind: Kind }> => event.kind === kind);

const mergeRequestIds = (events: readonly HookEvent[]): number[] => [
  ...new Set(
    events.flatMap((event) => {
      if (event.kind === 'merge_request') return event.mergeRequest.id;
      return event.kind === 'pipeline' ? (event.pipeline.mergeRequestId ?? []) : [];
    }),
  ),
];

const changedIds = (events: readonly HookEvent[], type: 'people' | 'labels'): number[] =>
  of(events, 'merge_request').flatMap(({ hook }) =>
    hook.changes.flatMap((change) => (change.type === type ? [...change.previous, ...change.current] : [])),
  );

const userIds = (events: readonly HookEvent[]): number[] =>
  events.flatMap((event) => {
    switch (event.kind) {
      case 'pipeline':
        return [event.actorId, event.pipeline.userId];
      case 'job':
        return [event.actorId, event.job.userId];
      case 'deployment':
        return [event.actorId, event.deployment.userId];
      default:
        return event.actorId;
    }
  });

/** The one commit that a body shows; undefined where it shows none, or several. */
function shownSha(event: HookEvent, mergeRequests: HookFacts['mergeRequests']): string | undefined {
  switch (event.kind) {
    case 'push':
    case 'release':
      return undefined;
    case 'merge_request':
      return event.hook.push?.newSha ?? mergeRequests.get(event.mergeRequest.id)?.view.mergeRequest.sourceSha;
    case 'deployment':
      return event.deployment.sha;
    default:
      return event.pipeline.sha;
  }
}

function wantedCommits(events: readonly HookEvent[], mergeRequests: HookFacts['mergeRequests']): WantedCommits[] {
  const projects = new Map<number, HookEvent[]>();
  for (const event of events) projects.set(event.projectId, [...(projects.get(event.projectId) ?? []), event]);
  return [...projects]
    .map(([projectId, own]) => ({
      projectId,
      pushes: of(own, 'push').filter((push) => commitsNamed(push) > 0),
      shas: [...new Set(own.flatMap((event) => shownSha(event, mergeRequests) ?? []))],
      tags: [...new Set(of(own, 'release').map(({ release }) => release.tag))],
    }))
    .filter(({ pushes, shas, tags }) => pushes.length + shas.length + tags.length > 0);
}

const sourceProjectIds = (mergeRequests: ReadonlyMap<number, HookMergeRequestView>): number[] =>
  [...mergeRequests.values()].flatMap(({ view }) => view.sourceProjectId ?? []);

/**
 * Reads what the bodies of some events name: a number of statements that does not grow with the events, and of git at
 * the most three processes for a project and one for a push.
 */
export const gatherHookFacts =
  ({ store, readCommits }: HookFactEdges) =>
  async (events: readonly HookEvent[]): Promise<HookFacts> => {
    const [mergeRequests, jobs, protectedNames, labels] = await Promise.all([
      store.mergeRequests(mergeRequestIds(events)),
      store.jobs([...new Set(of(events, 'pipeline').map(({ pipeline }) => pipeline.id))]),
      store.protectedNames([
        ...new Set(
          events.flatMap(({ kind, projectId }) =>
            kind === 'push' || kind === 'pipeline' || kind === 'deployment' ? projectId : [],
          ),
        ),
      ]),
      store.labels([
        ...of(events, 'merge_request').flatMap(({ mergeRequest }) => mergeRequest.labelIds),
        ...changedIds(events, 'labels'),
      ]),
    ]);
    const reporters = [...jobs.values()].flat().map(({ userId }) => userId);
    const [users, projects, commits] = await Promise.all([
      store.users([...userIds(events), ...changedIds(events, 'people'), ...reporters]),
      store.projects([...events.map(({ projectId }) => projectId), ...sourceProjectIds(mergeRequests)]),
      readCommits(wantedCommits(events, mergeRequests)),
    ]);
    const byProject = new Map(commits.map((read) => [read.projectId, read]));
    return { users, projects, labels, mergeRequests, jobs, protectedNames, commits: byProject };
  };

/** What `gatherHookFacts` gives. */
export type GatherHookFacts = ReturnType<typeof gatherHookFacts>;
