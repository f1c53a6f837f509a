const closing = Buffer.from('}');

/**
 * An object as JSON, with a member that is JSON already, as bytes: a payload says more than JavaScript's numbers can hold, so it is never parsed.
 * @param json undefined for null
 */
export const withJson = (object: object, member: string, json: string | undefined): Buffer =>
  Buffer.concat([
    Buffer.from(JSON.stringify(object)).subarray(0, -1),
    Buffer.from(`,${JSON.stringify(member)}:${json ?? 'null'}`),
    closing,
  ]);
