import { z } from '@switchyard/config';
import { recordFields } from '@switchyard/service';
import type { ImportedMilestone } from '../domain/milestone';

/** A milestone as an archive has it (ADR 60). */
export const milestoneRecord = z.object({
  iid: recordFields.iid,
  title: recordFields.text(255),
  description: recordFields.body,
  state: z.enum(['active', 'closed']),
  start_date: recordFields.date.nullable(),
  due_date: recordFields.date.nullable(),
  group: z.boolean(),
  created_at: recordFields.time,
  updated_at: recordFields.time,
});

/** A milestone of an archive. */
export const toImported = ({
  start_date: startDate,
  due_date: dueDate,
  created_at: createdAt,
  updated_at: updatedAt,
  ...milestone
}: z.infer<typeof milestoneRecord>): ImportedMilestone => ({
  ...milestone,
  startDate: startDate ?? undefined,
  dueDate: dueDate ?? undefined,
  createdAt,
  updatedAt,
});
