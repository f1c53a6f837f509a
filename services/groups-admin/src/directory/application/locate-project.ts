import { type AccessStore, nameOf } from './resolve-access';

/** Where a path leads. */
export interface Location {
  /** Id of the project; 0 when there is none, or one that is being deleted. */
  projectId: number;
  /** Directory sequence by which a replica knows it. */
  directorySequence: number;
}

/** Finds the project that has a path, or had it before (G-1-7), for any caller. */
export type LocateProject = (path: string) => Promise<Location>;

/** Builds `AccessService.LocateProject`. */
export const locateProject =
  (store: Pick<AccessStore, 'findProject' | 'findMovedProject'>): LocateProject =>
  async (path) => {
    const name = nameOf('project', path);
    if (name === undefined || !('path' in name)) return { projectId: 0, directorySequence: 0 };
    const present = await store.findProject(name, 0);
    const moved = present === undefined ? await store.findMovedProject(name.path) : 0;
    const found = moved === 0 ? present : await store.findProject({ id: moved }, 0);
    return {
      projectId: found === undefined || found.deleting ? 0 : found.id,
      directorySequence: found?.directory_sequence ?? 0,
    };
  };
