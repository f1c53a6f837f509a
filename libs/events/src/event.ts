/** What ts-proto generates for a message, as far as events use it. */
export interface MessageCodec<Payload> {
  toJSON(message: Payload): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: ts-proto declares its argument so
  fromJSON(object: any): Payload;
}

/** A fact one service publishes: where it goes, what it says, and what must stay in order. */
export interface EventDefinition<Payload> {
  /** What it belongs to, e.g. `merge-requests.merge-train`. */
  readonly stream: string;
  /** A new meaning is a new version beside the old one; additions keep the version. */
  readonly version: number;
  /** What happened, e.g. `merge_train.entry_removed`; one of possibly several types of its stream. */
  readonly type: string;
  /** `<stream>.v<version>`. */
  readonly topic: string;
  readonly message: MessageCodec<Payload>;
  /** Events of one key are delivered in the order in which they were appended. */
  key(payload: Payload): string;
}

const streamForm = /^[a-z0-9][a-z0-9._-]{0,150}$/;

/** Binds a generated message to its stream, version and key. */
export function defineEvent<Payload>(definition: Omit<EventDefinition<Payload>, 'topic'>): EventDefinition<Payload> {
  if (!streamForm.test(definition.stream)) throw new Error(`not a name for a stream: ${definition.stream}`);
  return Object.freeze({ ...definition, topic: `${definition.stream}.v${definition.version}` });
}

/** Body of an event as it travels: protojson text. */
export const encodeBody = <Payload>(event: EventDefinition<Payload>, payload: Payload): string =>
  JSON.stringify(event.message.toJSON(payload));

/** Payload of a body; unknown fields are ignored. Throws on anything that is not a JSON object. */
export function decodeBody<Payload>(event: EventDefinition<Payload>, body: string): Payload {
  const json: unknown = JSON.parse(body);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error('the body of an event is a JSON object');
  return event.message.fromJSON(json);
}
