import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { type Installation, type StoredTarget, startInstallation } from './installation';

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
export type Item = any;

/** A project with people of every kind, whose merge requests are talked about. */
export interface NoteFixture {
  readonly here: Installation;
  readonly project: DirectoryProject;
  /** Maintainer. */
  readonly ada: DirectoryUser;
  /** Developer. */
  readonly bob: DirectoryUser;
  /** Guest. */
  readonly eve: DirectoryUser;
  /** No member. */
  readonly mallory: DirectoryUser;
  /** Options of a call by one of them about the project. */
  as(user: DirectoryUser | undefined, given?: { admin?: boolean; level?: number }): ReturnType<Installation['as']>;
  mergeRequest(given?: Partial<StoredTarget>): StoredTarget;
}

export const mergeRequestRef = (target: StoredTarget) => ({
  projectId: target.projectId,
  target: { $case: 'mergeRequestIid' as const, value: target.iid },
});

export const json = (reply: { json: Buffer }): Item => JSON.parse(reply.json.toString());

export const pageOf = (given: Partial<PageRequest> = {}): PageRequest =>
  PageRequest.fromPartial({ page: 1, perPage: 100, orderBy: 'created_at', descending: true, ...given });

/** @param given further variables of the service */
export async function startNoteFixture(given: Record<string, string> = {}): Promise<NoteFixture> {
  const here = await startInstallation(given);
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  const group = directory.namespace();
  const project = directory.project(group.id);
  const user = (username: string, level: number): DirectoryUser => {
    const made = directory.user({ username });
    if (level > 0) directory.member(made.id, { namespaceId: group.id }, level);
    return made;
  };
  const people = { ada: user('ada', 40), bob: user('bob', 30), eve: user('eve', 10), mallory: user('mallory', 0) };
  const levels = new Map([
    [people.ada.id, 40],
    [people.bob.id, 30],
    [people.eve.id, 10],
  ]);
  await here.startHere();
  let iid = 0;
  return {
    here,
    project,
    ...people,
    as: (who, { admin = false, level } = {}) =>
      here.as(who && { id: who.id, admin }, { id: project.id, level: level ?? levels.get(who?.id ?? 0) ?? 0 }),
    mergeRequest(given = {}) {
      iid += 1;
      const target = { id: 1_000 + iid, iid, projectId: project.id, title: `Change ${iid}`, ...given };
      here.targets.set(target.id, target);
      return target;
    },
  };
}
