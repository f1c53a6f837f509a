import { deathTests } from '../faults/deaths-at-points';
import {
  alertPoints,
  archiveCancelPoints,
  archiveImportPoints,
  changePoints,
  deletedUserPoints,
  deliveryPoints,
  dependencyExportPoints,
  deploymentPoints,
  epicPoints,
  eventPoints,
  faultPointsOfSources,
  forkedRequestPoints,
  forkPoints,
  gistImportPoints,
  importCancelPoints,
  importPoints,
  issuePoints,
  issueReferencePoints,
  mergePoints,
  metricImagePoints,
  notePoints,
  notificationPoints,
  openingPoints,
  packageDeletionPoints,
  placeholderPoints,
  projectExportPoints,
  publicationPoints,
  pushOptionPoints,
  pushPoints,
  reportPoints,
  suggestionPoints,
  trainPoints,
} from './support/fault-points';

jest.setTimeout(600_000);

test('every fault point of the sources is in a list that is fired', () => {
  const { passed, declared, unreadable } = faultPointsOfSources();
  const fired = [
    ...pushPoints,
    ...pushOptionPoints,
    ...forkedRequestPoints,
    ...mergePoints,
    ...trainPoints,
    ...eventPoints,
    ...openingPoints,
    ...notePoints,
    ...epicPoints,
    ...issuePoints,
    ...issueReferencePoints,
    ...alertPoints,
    ...metricImagePoints,
    ...publicationPoints,
    ...packageDeletionPoints,
    ...reportPoints,
    ...dependencyExportPoints,
    ...projectExportPoints,
    ...archiveImportPoints,
    ...archiveCancelPoints,
    ...importPoints,
    ...importCancelPoints,
    ...placeholderPoints,
    ...gistImportPoints,
    ...deletedUserPoints,
    ...deploymentPoints,
    ...deliveryPoints,
    ...forkPoints,
    ...suggestionPoints,
    ...changePoints,
    ...notificationPoints,
  ].sort();
  expect(unreadable).toEqual([]);
  expect(declared).toEqual(passed);
  expect(fired).toEqual(passed);
});

/** A list is one walk: `npm run test:faults` fires all its points, of trains each is fired here as well. */
const shortOf = (points: readonly string[]) =>
  points === trainPoints ? points : points.slice(points.length >> 1, (points.length >> 1) + 1);

deathTests(shortOf);
