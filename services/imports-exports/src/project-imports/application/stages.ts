import type { ForgePage } from '../../forges';
import type { StageName } from '../domain/project-import';
import { findPeople } from './find-people';
import type { StageContext } from './imports.ports';

/** A page that was written. */
export interface WrittenPage extends Pick<ForgePage<unknown>, 'fetched' | 'isLast' | 'next'> {
  readonly imported: number;
}

/** Brings one page over; it may be repeated. */
type Stage = (context: StageContext, page: number) => Promise<WrittenPage>;

/** A stage that writes what a page has. */
const ofItems =
  <T>(
    read: (context: StageContext, page: number) => Promise<ForgePage<T>>,
    write: (context: StageContext, items: readonly T[]) => Promise<number>,
  ): Stage =>
  async (context, page) => {
    const { items, ...rest } = await read(context, page);
    context.signal.throwIfAborted();
    return { ...rest, imported: items.length === 0 ? 0 : await write(context, items) };
  };

/** Stages by name. */
export const stages: Readonly<Record<StageName, Stage>> = {
  async repository({ import: { author, repository, requestId }, project, forge, targets, signal }) {
    const source = { url: repository.cloneUrl, authorization: forge.authorization };
    await targets.importRepository({ project, author }, source, { requestId, signal });
    return { fetched: 0, imported: 0, isLast: true };
  },
  labels: ofItems(
    ({ forge, import: one }, page) => forge.labels(one.repository, page, one.pageSize),
    ({ targets, project, import: one }, items) => targets.importLabels(project.projectId, items, one.requestId),
  ),
  milestones: ofItems(
    ({ forge, import: one }, page) => forge.milestones(one.repository, page, one.pageSize),
    ({ targets, project, import: one }, items) => targets.importMilestones(project.projectId, items, one.requestId),
  ),
  issues: ofItems(
    ({ forge, import: one }, page) => forge.issues(one.repository, page, one.pageSize),
    async (context, issues) => {
      const found = await findPeople(
        context,
        issues.flatMap(({ author, assignees }) => [author, ...assignees]),
      );
      const owned = issues.map(({ author, assignees, ...issue }) => ({
        ...issue,
        authorId: found.writer(author),
        assigneeIds: found.users(assignees),
      }));
      return context.targets.importIssues(found.project, owned, context.import.requestId);
    },
  ),
  issue_notes: ofItems(
    ({ forge, import: one }, page) => forge.issueNotes(one.repository, page, one.pageSize),
    async (context, notes) => {
      const found = await findPeople(
        context,
        notes.map(({ author }) => author),
      );
      const owned = notes.map(({ author, ...note }) => ({ ...note, authorId: found.writer(author) }));
      return context.targets.importNotes(found.project, owned, context.import.requestId);
    },
  ),
};
