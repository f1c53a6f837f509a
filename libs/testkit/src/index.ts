export { atOnce } from './at-once';
export { type TestCertificate, testCertificate } from './certificate';
export { type TestDatabase, testDatabase, tlsServer } from './database';
export { eventually } from './eventually';
export { growth } from './growth';
export { type TestIdentities, testIdentities } from './identities';
export {
  describeWithKafka,
  kafkaSkipReason,
  type OwnKafka,
  ownKafka,
  type SecureKafka,
  secureKafka,
  type TestKafka,
  testKafka,
} from './kafka';
export { freePort } from './port';
export { schemaDrift } from './schema-drift';
export { dieAt, type ServiceProcesses, serviceProcesses, signalOf, terminate } from './service-process';
export { type TcpGate, tcpGate } from './tcp-gate';
