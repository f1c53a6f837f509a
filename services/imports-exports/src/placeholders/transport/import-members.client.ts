import type { Peer } from '@switchyard/rpc';
import { recordsOf } from '../../project-exports';
import type { ImportMembers } from '../domain/placeholder';

/** Milliseconds for a page of members, each of whom is decided on under one lock. */
const pageMs = 60_000;

/** Lets users into projects by records of groups-admin (ADR 60). */
export function importMembersBy(groupsAdmin: Peer): ImportMembers {
  const owner = recordsOf(groupsAdmin);
  return async ({ projectId, directorySequence }, by, members, requestId) => {
    if (members.length === 0) return 0;
    const records = members.map(({ userId, level }) => ({ user_id: userId, access_level: level }));
    const { written } = await owner.writeProjectRecords(
      {
        ...{
          projectId,
          kind: 'collaborators',
          lines: Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join('')),
        },
        ...{ importerId: by.userId, forEverybody: by.admin, checkOnly: false, standIns: undefined },
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
