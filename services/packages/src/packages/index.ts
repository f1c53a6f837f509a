export type { PackagePlaces } from './application/package-places';
export type { Publishing } from './application/publish-file';
export { composePackages, type PackagesArea } from './compose';
export type { PackageFile, PackageKey } from './domain/package';
export type { PackagePlace, PlacedFile, SpelledVersion } from './domain/package-place';
export type { Publication, Published, Publisher, Remover } from './domain/publication';
export { presentPackageFile } from './presenters/package.presenter';
export { nothingFound, placeOf } from './transport/package-place.http';
export { publisherOf } from './transport/publisher';
