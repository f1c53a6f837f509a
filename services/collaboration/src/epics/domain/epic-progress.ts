/** Numbers of one kind, open and closed. */
interface Count {
  readonly opened: number;
  readonly closed: number;
}

/** What is below an epic, or below one of its children, the child itself included. */
export interface ProgressRow {
  /** The child; undefined for the issues of the epic itself. */
  readonly child:
    | {
        readonly id: number;
        readonly iid: number;
        readonly groupId: number;
        readonly title: string;
        readonly state: string;
      }
    | undefined;
  readonly issues: Count;
  /** Sums of the weights of issues. */
  readonly weights: Count;
  readonly epics: Count;
}

const add = (one: Count, other: Count): Count => ({
  opened: one.opened + other.opened,
  closed: one.closed + other.closed,
});

const nothing: Count = { opened: 0, closed: 0 };

/** All of it together. */
export const totalOf = (rows: readonly ProgressRow[]): Omit<ProgressRow, 'child'> =>
  rows.reduce(
    (sum, row) => ({
      issues: add(sum.issues, row.issues),
      weights: add(sum.weights, row.weights),
      epics: add(sum.epics, row.epics),
    }),
    { issues: nothing, weights: nothing, epics: nothing },
  );
