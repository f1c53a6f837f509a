import { repeat } from '@switchyard/background';
import type { z } from '@switchyard/config';
import { type Area, type RecordWriter, recordWriter } from '@switchyard/service';
import type { Approve } from '../access-requests';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageMembers } from './application/manage-members';
import type { ImportedMember } from './domain/member-change';
import { presentMember } from './presenters/member.presenter';
import { memberStore } from './storage/member.store';
import { type Owners, owners } from './storage/owners';
import { listUserMemberships } from './storage/user-membership.list';
import { memberHandler } from './transport/member.handler';
import { collaboratorRecord, memberRecord, toCollaborator, toImported } from './transport/member.record';

/** Milliseconds between two searches for memberships that have expired. */
const expiryIntervalMs = 5_000;

/** Members, and what groups and projects need of them. */
export interface MemberArea extends Area {
  readonly owners: Owners;
  /** Approves an access request; returns the member as the API shows one. */
  readonly approve: Approve;
  /** Removes memberships that have expired; returns how many. */
  expire(): Promise<number>;
  /** Takes those of an archive. @param levelOf level of the one who imports in a project */
  records(levelOf: LevelOf): Readonly<Record<'members' | 'collaborators', RecordWriter>>;
}

/** Effective level of a user in a project. */
export type LevelOf = (projectId: number, userId: number) => Promise<number>;

/** Members of groups and projects, and the job that ends expired memberships. */
export function composeMembers({ config, db, observe }: Edges, writer: DirectoryWriter): MemberArea {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const store = { ...memberStore(db, writer, config.SWITCHYARD_TIER), ofUser: listUserMemberships(db) };
  const { approve, expire, ...members } = observe('members', manageMembers({ members: store }));
  return {
    services: [memberHandler(members, externalUrl)],
    owners,
    approve: async (...request) => presentMember(await approve(...request), externalUrl),
    expire,
    records(levelOf) {
      const writer = <T>(form: z.ZodType<T>, toMember: (record: T) => ImportedMember) =>
        recordWriter(form, async ({ projectId, importerId, forEverybody }, given) => {
          const actor = { userId: importerId, admin: forEverybody, level: await levelOf(projectId, importerId) };
          return members.import(actor, projectId, given.map(toMember));
        });
      return { members: writer(memberRecord, toImported), collaborators: writer(collaboratorRecord, toCollaborator) };
    },
    start: () => [repeat('expired memberships', expiryIntervalMs, () => expire())],
  };
}
