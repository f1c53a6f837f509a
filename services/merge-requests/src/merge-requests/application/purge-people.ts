/** Assignments one statement removes; keeps its locks short. */
const batch = 500;

/** Removes the assignments, reviews and approvals of deleted users (D5). Repeatable. */
export const purgePeople =
  (people: {
    /** Removes up to `limit` assignments, as many reviews and approvals of deleted users; how many went. */
    removeOrphans(limit: number): Promise<number>;
  }) =>
  async (): Promise<void> => {
    while ((await people.removeOrphans(batch)) > 0);
  };
