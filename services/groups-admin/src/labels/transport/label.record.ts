import { z } from '@switchyard/config';
import { recordFields } from '@switchyard/service';
import type { ImportedLabel } from '../domain/label-change';

/** A label as an archive has it (ADR 60); whether it was one of a group makes no difference. */
export const labelRecord = z.object({
  title: recordFields.text(255),
  color: recordFields.text(50),
  description: recordFields.body.nullable(),
  archived: z.boolean(),
  priority: recordFields.count.nullable(),
  created_at: recordFields.time,
  updated_at: recordFields.time,
});

/** A label of an archive. */
export const toImported = ({
  archived,
  priority,
  description,
  created_at: createdAt,
  updated_at: updatedAt,
  ...label
}: z.infer<typeof labelRecord>): ImportedLabel => ({
  ...label,
  description: description ?? '',
  priority: priority ?? undefined,
  history: { archived, createdAt, updatedAt },
});
