import { type DependencyListExport, hasEnded } from '../domain/dependency-list-export';

/** Address of an export for the API. */
const addressOf = (id: number, externalUrl: string): string => `${externalUrl}/api/v4/dependency_list_exports/${id}`;

/** Address of its file. */
export const downloadUrlOf = (id: number, externalUrl: string): string => `${addressOf(id, externalUrl)}/download`;

/** The public export. A failed one has finished as well, and its `problem` says why. */
export const presentExport = (one: DependencyListExport, externalUrl: string) => ({
  id: one.id,
  status: one.status,
  has_finished: hasEnded(one),
  problem: one.problem ?? null,
  self: addressOf(one.id, externalUrl),
  download: downloadUrlOf(one.id, externalUrl),
  signature: `${addressOf(one.id, externalUrl)}/signature`,
  expires_at: one.expiresAt,
});
