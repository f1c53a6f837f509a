import type { DirectoryClient } from '@switchyard/directory';
import { AppError } from '@switchyard/errors';
import type {
  DirectoryChange,
  DirectoryMembership,
  DirectoryNamespace,
  DirectoryProject,
  DirectoryRow,
  DirectoryShare,
  DirectoryUser,
} from '@switchyard/protos/groups_admin/v1/directory';

type Entity = NonNullable<DirectoryRow['entity']>;

/** The directory's owner in memory: rows, their changes under one sequence, and the rules of access said once more in plain code. */
export class DirectoryModel {
  readonly users = new Map<number, DirectoryUser>();
  readonly namespaces = new Map<number, DirectoryNamespace>();
  readonly projects = new Map<number, DirectoryProject>();
  readonly memberships = new Map<number, DirectoryMembership>();
  readonly shares = new Map<number, DirectoryShare>();
  readonly changes: DirectoryChange[] = [];
  /** Changes up to this sequence are no longer served. */
  retainedAfter = 0;
  /** Runs in the middle of a snapshot, once. */
  duringSnapshot: (() => unknown) | undefined;
  calls = { readChanges: 0, snapshot: 0 };
  failing = false;
  /** Of the rows that it writes, and of its snapshots where that differs. */
  format = 0;
  snapshotFormat: number | undefined;
  private lastId = 0;

  id(): number {
    this.lastId += 1;
    return this.lastId;
  }

  write(entity: Entity, deleted = false): void {
    this.changes.push(
      structuredClone({ sequence: this.changes.length + 1, row: { entity, format: this.format }, deleted }),
    );
  }

  user(given: Partial<DirectoryUser> = {}): DirectoryUser {
    const id = this.id();
    const user: DirectoryUser = {
      id,
      username: `user${id}`,
      name: `User ${id}`,
      state: 'active',
      avatarUrl: '',
      publicEmail: '',
      commitEmail: '',
      admin: false,
      external: false,
      privateProfile: false,
      confirmedEmails: [],
      bot: false,
      kind: given.bot ? 'bot' : 'human',
      ghostId: 0,
      createdAt: new Date('2026-01-02T03:04:05.678Z'),
      email: `user${id}@example.com`,
      ...given,
    };
    this.users.set(id, user);
    this.write({ $case: 'user', value: user });
    return user;
  }

  namespace(given: Partial<DirectoryNamespace> & { parentId?: number } = {}): DirectoryNamespace {
    const { parentId = 0, ...rest } = given;
    const parent = this.namespaces.get(parentId);
    const id = this.id();
    const namespace: DirectoryNamespace = {
      id,
      kind: 'group',
      name: `Group ${id}`,
      path: `group${id}`,
      fullPath: parent ? `${parent.fullPath}/group${id}` : `group${id}`,
      fullName: parent ? `${parent.fullName} / Group ${id}` : `Group ${id}`,
      ancestry: [...(parent?.ancestry ?? []), id],
      visibility: 'private',
      ownerId: 0,
      avatarUrl: '',
      deleting: false,
      tier: '',
      mentionsDisabled: false,
      emailsDisabled: false,
      addressRestricted: false,
      ...rest,
    };
    this.namespaces.set(id, namespace);
    this.write({ $case: 'namespace', value: namespace });
    return namespace;
  }

  project(namespaceId: number, given: Partial<DirectoryProject> = {}): DirectoryProject {
    const id = this.id();
    const project: DirectoryProject = {
      id,
      namespaceId,
      name: `Project ${id}`,
      path: `project${id}`,
      visibility: 'private',
      defaultBranch: 'main',
      archived: false,
      deleting: false,
      avatarUrl: '',
      settings: undefined,
      creatorId: 0,
      forkedFromProjectId: 0,
      forkNetworkId: 0,
      repositoryOriginId: 0,
      repositoryOriginBranch: '',
      ...given,
    };
    this.projects.set(id, project);
    this.write({ $case: 'project', value: project });
    return project;
  }

  member(userId: number, where: { namespaceId?: number; projectId?: number }, accessLevel: number, expiresAt?: Date) {
    const id = this.id();
    const membership: DirectoryMembership = {
      id,
      userId,
      namespaceId: 0,
      projectId: 0,
      accessLevel,
      expiresAt,
      ...where,
    };
    this.memberships.set(id, membership);
    this.write({ $case: 'membership', value: membership });
    return membership;
  }

  /** Shares a group or project with the group `groupId`. */
  share(groupId: number, where: { namespaceId?: number; projectId?: number }, accessLevel: number, expiresAt?: Date) {
    const share: DirectoryShare = {
      id: this.id(),
      namespaceId: 0,
      projectId: 0,
      groupId,
      accessLevel,
      expiresAt,
      ...where,
    };
    this.shares.set(share.id, share);
    this.write({ $case: 'share', value: share });
    return share;
  }

  removeShare(id: number): void {
    const value = this.shares.get(id)!;
    this.shares.delete(id);
    this.write({ $case: 'share', value }, true);
  }

  changeProject(id: number, change: Partial<DirectoryProject>): void {
    const project = Object.assign(this.projects.get(id)!, change);
    this.write({ $case: 'project', value: project });
  }

  changeNamespace(id: number, change: Partial<DirectoryNamespace>): void {
    const namespace = Object.assign(this.namespaces.get(id)!, change);
    this.write({ $case: 'namespace', value: namespace });
  }

  /** Renames and moves: the namespace and everything below it gets new paths and ancestries; projects do not change. */
  moveNamespace(id: number, parentId: number, path: string): void {
    const moved = this.namespaces.get(id)!;
    const parent = this.namespaces.get(parentId);
    if (parent?.ancestry.includes(id)) return;
    const depth = moved.ancestry.length - 1;
    const oldPath = moved.fullPath;
    const newPath = parent ? `${parent.fullPath}/${path}` : path;
    for (const below of [...this.namespaces.values()].filter((one) => one.ancestry.includes(id))) {
      this.changeNamespace(below.id, {
        ancestry: [...(parent?.ancestry ?? []), ...below.ancestry.slice(depth)],
        fullPath: newPath + below.fullPath.slice(oldPath.length),
        ...(below.id === id ? { path } : {}),
      });
    }
  }

  removeMembership(id: number): void {
    const value = this.memberships.get(id)!;
    this.memberships.delete(id);
    this.write({ $case: 'membership', value }, true);
  }

  removeProject(id: number): void {
    const value = this.projects.get(id)!;
    for (const one of [...this.memberships.values()]) if (one.projectId === id) this.removeMembership(one.id);
    for (const one of [...this.shares.values()]) if (one.projectId === id) this.removeShare(one.id);
    this.projects.delete(id);
    this.write({ $case: 'project', value }, true);
  }

  removeUser(id: number, ghostId: number): void {
    const user = this.users.get(id)!;
    for (const one of [...this.memberships.values()]) if (one.userId === id) this.removeMembership(one.id);
    this.users.delete(id);
    this.write({ $case: 'user', value: { ...user, ghostId } }, true);
  }

  private hidden(namespace: DirectoryNamespace | undefined): boolean {
    return namespace === undefined || namespace.ancestry.some((id) => this.namespaces.get(id)?.deleting !== false);
  }

  /** Where a user is a member, directly or by a share, and at which level. */
  private reach(userId: number): Pick<DirectoryMembership, 'namespaceId' | 'projectId' | 'accessLevel'>[] {
    const lives = (one: { expiresAt?: Date | undefined }) => one.expiresAt === undefined || one.expiresAt > new Date();
    const own = [...this.memberships.values()].filter((one) => one.userId === userId && lives(one));
    const shared = [...this.shares.values()].filter(lives).flatMap(({ groupId, ...share }) => {
      const invited = this.namespaces.get(groupId);
      if (invited === undefined || this.hidden(invited)) return [];
      const members = own.filter((one) => invited.ancestry.includes(one.namespaceId));
      return members.map(({ accessLevel }) => ({ ...share, accessLevel: Math.min(accessLevel, share.accessLevel) }));
    });
    return [...own, ...shared];
  }

  level(userId: number, admin: boolean, projectId: number): number {
    if (admin) return 50;
    const project = this.projects.get(projectId);
    const namespace = this.namespaces.get(project?.namespaceId ?? 0);
    if (project === undefined || namespace === undefined || userId === 0) return 0;
    if (namespace.ownerId === userId) return 50;
    return this.reach(userId)
      .filter((one) => one.accessLevel >= 10)
      .filter((one) => one.projectId === projectId || namespace.ancestry.includes(one.namespaceId))
      .reduce((most, one) => Math.max(most, one.accessLevel), 0);
  }

  seesProject(viewer: { userId: number; admin: boolean; external: boolean }, projectId: number): boolean {
    const project = this.projects.get(projectId);
    if (project === undefined || project.deleting || this.hidden(this.namespaces.get(project.namespaceId)))
      return false;
    if (viewer.admin || project.visibility === 'public') return true;
    if (viewer.userId === 0) return false;
    if (project.visibility === 'internal' && !viewer.external) return true;
    return this.level(viewer.userId, false, projectId) >= 10;
  }

  seesNamespace(viewer: { userId: number; admin: boolean; external: boolean }, id: number): boolean {
    const namespace = this.namespaces.get(id);
    if (namespace === undefined || this.hidden(namespace)) return false;
    if (viewer.admin || namespace.kind === 'user' || namespace.visibility === 'public') return true;
    if (viewer.userId === 0) return false;
    if (namespace.visibility === 'internal' && !viewer.external) return true;
    return this.reach(viewer.userId).some((one) => {
      if (namespace.ancestry.includes(one.namespaceId)) return true;
      const within = this.projects.get(one.projectId);
      const below = this.namespaces.get(one.namespaceId || (within?.namespaceId ?? 0));
      return below?.ancestry.includes(id) === true && !this.hidden(below) && within?.deleting !== true;
    });
  }

  rows(): DirectoryRow[] {
    const deletedUsers = this.changes.flatMap((one) =>
      one.deleted && one.row?.entity?.$case === 'user' ? [one.row] : [],
    );
    return structuredClone([
      ...deletedUsers,
      ...[...this.users.values()].map(
        (value): DirectoryRow => ({ entity: { $case: 'user', value }, format: this.format }),
      ),
      ...[...this.namespaces.values()].map(
        (value): DirectoryRow => ({ entity: { $case: 'namespace', value }, format: this.format }),
      ),
      ...[...this.projects.values()].map(
        (value): DirectoryRow => ({ entity: { $case: 'project', value }, format: this.format }),
      ),
      ...[...this.memberships.values()].map(
        (value): DirectoryRow => ({ entity: { $case: 'membership', value }, format: this.format }),
      ),
      ...[...this.shares.values()].map(
        (value): DirectoryRow => ({ entity: { $case: 'share', value }, format: this.format }),
      ),
    ]);
  }

  readonly client: DirectoryClient = {
    readChanges: async ({ after, limit, waitMs }, { signal }) => {
      this.calls.readChanges += 1;
      const deadline = Date.now() + waitMs;
      while (this.changes.length <= after && Date.now() < deadline && !signal?.aborted) {
        await new Promise((settle) => setTimeout(settle, 5));
      }
      if (this.failing) throw new AppError('unavailable');
      if (after < this.retainedAfter) throw new AppError('gone');
      return {
        changes: structuredClone(this.changes.slice(after, after + (limit || 1_000))),
        head: this.changes.length,
        format: this.format,
      };
    },
    snapshot: (_request, _options) => this.snapshot(),
  };

  private async *snapshot() {
    this.calls.snapshot += 1;
    if (this.failing) throw new AppError('unavailable');
    const sequence = this.changes.length;
    const rows = this.rows();
    const half = Math.floor(rows.length / 2);
    yield { rows: rows.slice(0, half), sequence, last: false, format: this.snapshotFormat ?? this.format };
    const during = this.duringSnapshot;
    this.duringSnapshot = undefined;
    await during?.();
    yield { rows: rows.slice(half), sequence, last: true, format: this.snapshotFormat ?? this.format };
  }
}
