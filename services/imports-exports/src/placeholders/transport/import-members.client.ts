import { ProjectRecordServiceService } from '@switchyard/protos/rpc/v1/project_record';
import type { Peer } from '@switchyard/rpc';
import type { ImportMembers } from '../domain/placeholder';

/** Milliseconds for a page of members, each of whom is decided on under one lock. */
const pageMs = 60_000;

/** Lets users into projects by the records in which archives name their members (ADR 60). */
export function importMembersBy(groupsAdmin: Peer): ImportMembers {
  const owner = groupsAdmin.client(ProjectRecordServiceService);
  return async ({ projectId, directorySequence }, by, members, requestId) => {
    if (members.length === 0) return 0;
    const created_at = new Date().toISOString();
    const records = members.map(({ username, level }) => ({
      username,
      access_level: level,
      expires_at: null,
      created_at,
    }));
    const { written } = await owner.writeProjectRecords(
      {
        ...{
          projectId,
          kind: 'members',
          lines: Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join('')),
        },
        ...{ importerId: by.userId, forEverybody: by.admin, checkOnly: false },
      },
      {
        requestId,
        idempotent: true,
        timeoutMs: pageMs,
        ...(directorySequence === undefined ? {} : { directorySequence }),
      },
    );
    return written;
  };
}
