import type { Database } from '@switchyard/database';
import { fullPath, projectById } from '@switchyard/directory';
import type { ExportedProject } from '../domain/project-export';

/** What the directory knows of a project; undefined for one that is gone. */
export const exportedProjectStore =
  (db: Database) =>
  async (id: number): Promise<Omit<ExportedProject, 'description' | 'createdAt'> | undefined> => {
    const found = await projectById(db, id);
    if (found === undefined) return undefined;
    const { name, path, namespace_full_name: above } = found;
    return { id, name, path, fullPath: fullPath(found), fullName: `${above} / ${name}` };
  };
