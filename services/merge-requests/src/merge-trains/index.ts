export { composeMergeTrains, trainFollowers } from './compose';
export { verifyLandings } from './compose-verifier';
export { testedCars } from './storage/tested-cars';
