import type { Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';

/** The JSON of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
export const json = (reply: Representation | RepresentationPage): any => JSON.parse(reply.json.toString());
