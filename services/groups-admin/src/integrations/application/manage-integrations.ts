import { type Effective, effectiveOf, type Found, type IntegrationPlace } from '../domain/integration';
import {
  decideDisable,
  decideSet,
  integrationNotFound,
  kindToRead,
  kindToSet,
  type Sent,
} from '../domain/integration-change';
import { type Tracker, trackerOf } from '../domain/tracker';
import type { IntegrationStore } from './integration.ports';

/** What the use cases of integrations need. */
interface Needs {
  readonly integrations: IntegrationStore;
  /** Whether there are the kinds of development. */
  readonly isDevelopment: boolean;
  /** Why requests to an address would be refused; undefined where they would not. */
  readonly addressProblem: (url: string) => string | undefined;
}

function foundOf(found: Found): Effective {
  const effective = effectiveOf(found);
  if (effective === undefined) throw integrationNotFound();
  return effective;
}

/** Integrations of groups, projects and the instance (api.md 4.4). */
export const manageIntegrations = ({ integrations, isDevelopment, addressProblem }: Needs) => ({
  /** The active integrations of a place, by id. */
  list: async (place: IntegrationPlace): Promise<Effective[]> =>
    (await integrations.list(place)).filter(({ active }) => active),

  /** @throws AppError invalid_params; bad_request; not_found */
  async get(place: IntegrationPlace, slug: string): Promise<Effective> {
    kindToRead(slug, place, isDevelopment);
    return foundOf(await integrations.find(place, slug));
  },

  /** The trackers that texts of projects name issues of, by project. */
  async trackers(projectIds: readonly number[]): Promise<ReadonlyMap<number, Tracker>> {
    const found = await integrations.ofProjects(projectIds);
    return new Map(
      found.flatMap(({ id, active, hasIssues }) => {
        const tracker = trackerOf(active, hasIssues);
        return tracker === undefined ? [] : [[id, tracker] as const];
      }),
    );
  },

  /** @throws AppError not_allowed; bad_request; unprocessable; invalid; not_found when the place was purged */
  async set(place: IntegrationPlace, slug: string, sent: Sent, useInherited: boolean): Promise<Effective> {
    const kind = kindToSet(slug, place, isDevelopment);
    const saved = await integrations.change(place, slug, (facts) =>
      decideSet(kind, facts, { sent, useInherited }, addressProblem),
    );
    return foundOf(saved);
  },

  /** @throws AppError invalid_params; bad_request; unprocessable; not_found; precondition_failed */
  async disable(place: IntegrationPlace, slug: string, unmodifiedSince?: Date): Promise<void> {
    const kind = kindToRead(slug, place, isDevelopment);
    await integrations.change(place, slug, (facts) => decideDisable(kind, facts, unmodifiedSince));
  },
});

/** Use cases of integrations. */
export type ManageIntegrations = ReturnType<typeof manageIntegrations>;
