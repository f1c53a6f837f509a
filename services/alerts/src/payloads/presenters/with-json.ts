const closing = Buffer.from('}');

/**
 * An object as JSON bytes, with a member that is JSON text already: a payload may contain numbers that JavaScript
 * cannot represent, so it is not parsed.
 * @param json undefined for null
 */
export const withJson = (object: object, member: string, json: string | undefined): Buffer =>
  Buffer.concat([
    Buffer.from(JSON.stringify(object)).subarray(0, -1),
    Buffer.from(`,${JSON.stringify(member)}:${json ?? 'null'}`),
    closing,
  ]);
