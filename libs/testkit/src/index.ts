export { type TestDatabase, testDatabase } from './database';
export { eventually } from './eventually';
export { describeWithKafka, kafkaSkipReason, type TestKafka, testKafka } from './kafka';
export { freePort } from './port';
export { schemaDrift } from './schema-drift';
export { type TcpGate, tcpGate } from './tcp-gate';
