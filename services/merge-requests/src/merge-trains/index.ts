export { composeMergeTrains, trainFollowers } from './compose';
export { verifyLandings } from './compose-verifier';
export { targetOfTrain, testedCars } from './storage/tested-cars';
