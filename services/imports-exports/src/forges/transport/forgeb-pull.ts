import type { ForgePull } from '../domain/forge';

/** What pull requests of the cloud and of a server say in one way. */
interface GivenPull {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  /** One that is neither open nor merged is closed. */
  readonly state: string;
  readonly draft?: boolean | null | undefined;
  readonly author: string;
  readonly reviewers: readonly string[];
}

/** Fields of a pull request of forgeb, which has no labels, milestones and assignees of them. @param endedAt counts where it is not open */
export const pullFields = ({ id, title, description, state, draft, author, reviewers }: GivenPull, endedAt: Date) =>
  ({
    iid: id,
    author,
    title,
    description,
    state: state === 'MERGED' ? 'merged' : state === 'OPEN' ? 'opened' : 'closed',
    draft: draft === true,
    labels: [],
    milestoneIid: 0,
    milestoneTitle: '',
    assignees: [],
    reviewers: reviewers.filter((login) => login !== ''),
    locked: false,
    mergedAt: state === 'MERGED' ? endedAt : undefined,
    closedAt: state === 'OPEN' ? undefined : endedAt,
  }) satisfies Partial<ForgePull>;
