export { type TestDatabase, testDatabase } from './database';
export { eventually } from './eventually';
export { freePort } from './port';
export { type TcpGate, tcpGate } from './tcp-gate';
