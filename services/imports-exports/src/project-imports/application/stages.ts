import type { Forge, ForgePage } from '../../forges';
import type { ProjectImport, StageName } from '../domain/project-import';
import type { ImportedProject } from '../domain/shown-import';
import type { ImportTargets } from './imports.ports';

/** What a stage works with. */
export interface StageContext {
  readonly import: ProjectImport;
  readonly project: ImportedProject;
  readonly forge: Forge;
  readonly targets: ImportTargets;
  /** Aborted when the import is cancelled, or its process stops. */
  readonly signal: AbortSignal;
}

/** A page that was written. */
export interface WrittenPage {
  readonly fetched: number;
  readonly imported: number;
  readonly isLast: boolean;
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
    const { items, fetched, isLast } = await read(context, page);
    context.signal.throwIfAborted();
    return { fetched, imported: items.length === 0 ? 0 : await write(context, items), isLast };
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
};
