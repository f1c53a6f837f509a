import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageMembers } from './application/manage-members';
import { memberStore } from './storage/member.store';
import { type Owners, owners } from './storage/owners';
import { memberHandler } from './transport/member.handler';

/** Milliseconds between two searches for memberships that have expired. */
const expiryIntervalMs = 5_000;

/** Members, and what groups and projects need of them. */
export interface MemberArea extends Area {
  readonly owners: Owners;
  /** Removes memberships that have expired; returns how many. */
  expire(): Promise<number>;
}

/** Members of groups and projects, and the job that ends expired memberships. */
export function composeMembers({ config, db, observe }: Edges, writer: DirectoryWriter): MemberArea {
  const { expire, ...members } = observe('members', manageMembers({ members: memberStore(db, writer) }));
  return {
    services: [memberHandler(members, config.SWITCHYARD_EXTERNAL_URL)],
    owners,
    expire,
    start: () => [repeat('expired memberships', expiryIntervalMs, () => expire())],
  };
}
