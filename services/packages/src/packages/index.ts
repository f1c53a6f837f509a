export type { Publishing } from './application/publish-file';
export { composePackages, type PackagesArea } from './compose';
export type { PackageFile, PackageKey } from './domain/package';
export type { Publication, Published, Publisher } from './domain/publication';
export { presentPackageFile } from './presenters/package.presenter';
