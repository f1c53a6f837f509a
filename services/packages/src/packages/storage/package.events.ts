import type { Tx } from '@switchyard/database';
import { appendToOutbox, packageEventId, packageEvents } from '@switchyard/events';
import type { PackageKey } from '../domain/package';
import type { DeletedPackage, RecordedPublication } from '../domain/publication';

const subject = (id: number, { projectId, format, name, version }: PackageKey) => ({
  id,
  projectId,
  format,
  name,
  version: version ?? '',
});

/** Appends that a file was published. */
export const recordPublication = async (
  tx: Tx,
  { packageId, fileId, size, created, publication }: RecordedPublication,
): Promise<void> => {
  const { key, fileName, publisher } = publication;
  const published = { fileId, fileName, size, created, pipelineId: publisher.pipelineId ?? 0 };
  await appendToOutbox(
    tx,
    packageEvents,
    {
      package: subject(packageId, key),
      actorId: publisher.userId,
      occurredAt: new Date(),
      fact: { $case: 'published', value: published },
    },
    { id: packageEventId('published', packageId, fileId) },
  );
};

/** Appends that a package was deleted. */
export const recordDeletion = (tx: Tx, { id, actorId, ...key }: DeletedPackage): Promise<void> =>
  appendToOutbox(
    tx,
    packageEvents,
    { package: subject(id, key), actorId, occurredAt: new Date(), fact: { $case: 'deleted', value: {} } },
    { id: packageEventId('deleted', id) },
  );
