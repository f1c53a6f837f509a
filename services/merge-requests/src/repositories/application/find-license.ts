import { isAppError } from '@switchyard/errors';
import { branchRef, readBlob, readTree } from '../../git';
import { type FoundLicense, type LicenseTemplate, licenseFileOf, matchLicense } from '../domain/license';
import type { OpenProjectRepository } from './open-project-repository';

/** Bytes of a file that is compared with licences; the longest of them has 35 kB. */
const maxLicenseBytes = 128 << 10;

/**
 * Finds the licence at the root of the default branch; undefined where there is none, and in a project that is gone or
 * has no commit.
 */
export const findLicense =
  ({ open, templates }: { open: OpenProjectRepository; templates: () => Promise<readonly LicenseTemplate[]> }) =>
  async (projectId: number): Promise<FoundLicense | undefined> => {
    try {
      const { repo, project, defaultBranch } = await open(projectId);
      if (!project.pushed) return undefined;
      const { entries } = await readTree(repo, branchRef(defaultBranch));
      const path = licenseFileOf(entries.flatMap(({ name, type }) => (type === 'blob' ? name : [])));
      const file = entries.find(({ name }) => name === path);
      if (path === undefined || file === undefined) return undefined;
      const { size, content } = await readBlob(repo, file.sha);
      const found = { branch: defaultBranch, path };
      if (size > maxLicenseBytes) {
        content.destroy();
        return { ...found, license: undefined };
      }
      const parts: Buffer[] = [];
      for await (const part of content) parts.push(part as Buffer);
      return { ...found, license: matchLicense(Buffer.concat(parts).toString(), await templates()) };
    } catch (error) {
      if (isAppError(error, 'not_found')) return undefined;
      throw error;
    }
  };
