import { Kafka } from 'kafkajs';

export const client = Kafka;
