export type { PackageKey } from './application/package.ports';
export type { Publication, Published, Publisher, Publishing } from './application/publish-file';
export { composePackages, type PackagesArea } from './compose';
export type { PackageFile } from './domain/package';
export { presentPackageFile } from './presenters/package.presenter';
