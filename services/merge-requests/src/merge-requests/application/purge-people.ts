/** Assignments one statement removes; keeps its locks short. */
const batch = 500;

/** Removes the assignments, reviews and approvals of deleted users, and their places in approval rules (D5). Repeatable. */
export const purgePeople =
  (people: {
    /** Removes up to `limit` assignments of deleted users, and as many of the others; how many went. */
    removeOrphans(limit: number): Promise<number>;
  }) =>
  async (): Promise<void> => {
    while ((await people.removeOrphans(batch)) > 0);
  };
