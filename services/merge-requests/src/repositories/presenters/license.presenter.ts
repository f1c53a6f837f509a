import type { FoundLicense } from '../domain/license';
import { type RepositoryAddress, repositoryUrl } from './commit.presenter';

const inPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** What a project shows of its licence. */
export const licenseObject = (found: FoundLicense | undefined, address: RepositoryAddress) => ({
  license_url:
    found === undefined ? null : repositoryUrl(address, `blob/${inPath(found.branch)}/${inPath(found.path)}`),
  license: found === undefined ? null : namesOf(found),
});

function namesOf({ license, path }: FoundLicense) {
  if (license === undefined) return { key: 'other', name: 'Other', nickname: path, html_url: null, source_url: null };
  const { key, name, nickname, sourceUrl } = license;
  return { key, name, nickname, html_url: `https://choosealicense.com/licenses/${key}/`, source_url: sourceUrl };
}
