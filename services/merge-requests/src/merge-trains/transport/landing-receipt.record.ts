import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { recordFields } from '@switchyard/service';
import type { ImportedReceipt } from '../domain/imported-receipt';

const { iid, text, sha, user, names, count, time } = recordFields;

/** A receipt of a landing as an archive has it (ADR 60). */
export const landingReceiptRecord = z.object({
  merge_request_iid: iid,
  target_branch: text(255),
  method: z.enum(['merge', 'ff', 'rebase_merge']),
  squash: z.boolean(),
  head_sha: sha,
  base_sha: sha,
  tested_sha: sha.nullable(),
  tested_tree: sha.nullable(),
  pipeline_status: text(50).nullable(),
  statuses: z
    .array(
      z.object({
        id: z.int().min(0),
        name: text(255),
        status: text(50),
        allow_failure: z.boolean(),
        finished_at: time.nullable(),
      }),
    )
    .max(1_000),
  required_statuses: names,
  landed_sha: sha,
  landed_tree: sha,
  merge_commit_sha: sha.nullable(),
  squash_commit_sha: sha.nullable(),
  added_by: user,
  boarded_at: time,
  built_at: time.nullable(),
  tested_at: time.nullable(),
  landed_at: time,
  batch_iids: z.array(iid).max(100),
  reruns: count,
});

type ReceiptRecord = z.infer<typeof landingReceiptRecord>;

/** Names of who added merge requests to trains. */
export const addersOf = (given: readonly ReceiptRecord[]): (string | null)[] => given.map(({ added_by }) => added_by);

/** A receipt of an archive. */
export const toImported =
  (people: ImportedPeople) =>
  ({ added_by, ...record }: ReceiptRecord): ImportedReceipt => ({
    ...record,
    added_by_id: people.writer(added_by),
  });
