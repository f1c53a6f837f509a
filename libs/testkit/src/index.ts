export { type TestDatabase, testDatabase } from './database';
export { eventually } from './eventually';
export { freePort } from './port';
