import { knownGroups, knownTopics, partitionCount, retentionOf } from './topics';

/** Prints what an operator creates where `KAFKA_CREATE_TOPICS` is `false`, a line each. */
for (const topic of knownTopics) {
  process.stdout.write(`topic ${topic} --partitions ${partitionCount} --config retention.ms=${retentionOf(topic)}\n`);
}
for (const group of knownGroups) process.stdout.write(`group ${group}\n`);
process.stdout.write('group <group>.replay of each group, by which dead letters are replayed\n');
