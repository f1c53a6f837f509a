import type { Effective, Found, IntegrationPlace } from '../domain/integration';
import type { Facts, NextIntegration } from '../domain/integration-change';

/** Integrations in the database, their secrets encrypted; each change is one transaction. */
export interface IntegrationStore {
  /** What counts in a place, by id: one statement. */
  list(place: IntegrationPlace): Promise<Effective[]>;
  /** The active integrations of projects that are there, with whether they have issues of their own: two statements. */
  ofProjects(
    ids: readonly number[],
  ): Promise<readonly { readonly id: number; readonly hasIssues: boolean; readonly active: readonly Effective[] }[]>;
  /** What a place has of a kind. */
  find(place: IntegrationPlace, slug: string): Promise<Found>;
  /**
   * Locks what a place has of a kind, decides and saves; returns what the place then has.
   * @throws AppError not_found when the place was purged; what `decide` throws
   */
  change(place: IntegrationPlace, slug: string, decide: (facts: Facts) => NextIntegration): Promise<Found>;
}
