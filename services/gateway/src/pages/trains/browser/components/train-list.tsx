import { pageOf } from '../address.ts';
import { h } from '../libs/preact.js';
import type { Project } from '../representations.ts';
import type { TrainSummary } from '../train-summaries.ts';
import { When } from './shared.tsx';

interface TrainListProps {
  readonly base: string;
  readonly project: Project;
  readonly trains: readonly TrainSummary[];
  readonly now: number;
}

const size = ({ cars: count, isAtLeast }: TrainSummary): string =>
  count === 0 ? 'empty' : `${isAtLeast ? 'at least ' : ''}${count} in the train`;

/** The trains of a project. */
export const TrainList = ({ base, project, trains, now }: TrainListProps) => (
  <section aria-labelledby="trains">
    <h2 id="trains">Trains</h2>
    {trains.length === 0 ? (
      <p class="empty">
        No merge train has run in this project yet.
        {project.default_branch !== null && (
          <span>
            {' '}
            The one of the default branch is{' '}
            <a href={pageOf(base, project.path_with_namespace, project.default_branch)}>{project.default_branch}</a>.
          </span>
        )}
      </p>
    ) : (
      <ul class="trains">
        {trains.map((train) => (
          <li key={train.branch}>
            <a href={pageOf(base, project.path_with_namespace, train.branch)}>{train.branch}</a>
            <span>{size(train)}</span>
            {train.landedAt !== undefined && (
              <span class="by">
                landed last <When at={train.landedAt} now={now} />
              </span>
            )}
          </li>
        ))}
      </ul>
    )}
  </section>
);
