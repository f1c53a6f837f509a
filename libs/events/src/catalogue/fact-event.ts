/** An event whose `oneof fact` contains what changed. */
interface FactEvent {
  readonly fact?: { readonly $case: string } | undefined;
}

/**
 * Returns what makes the ids of the events of an aggregate: the same change always has the same id.
 * @param aggregate name of the aggregate in ids
 */
export const factEventId =
  <Event extends FactEvent>(aggregate: string) =>
  /**
   * @param id id of the aggregate
   * @param cause what caused the fact, by the table in the proto
   */
  (fact: NonNullable<Event['fact']>['$case'], id: number, cause: string | number = 1): string =>
    `${aggregate}.${fact}:${id}:${cause}`;
