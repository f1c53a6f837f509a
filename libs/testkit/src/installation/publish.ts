import { type EventBus, type EventDefinition, encodeBody } from '@switchyard/events';

/** Publishes an event as the relay of its owner would; settles with its id. */
export async function publish<Payload>(
  bus: EventBus,
  event: EventDefinition<Payload>,
  payload: Payload,
  id: string,
): Promise<string> {
  const { topic, type, version } = event;
  const headers = { id, type, version: String(version), time: new Date().toISOString() };
  await bus.publish([{ topic, key: event.key(payload), body: encodeBody(event, payload), headers }]);
  return id;
}
