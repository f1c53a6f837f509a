import { z } from 'zod';

/** What the OpenAPI document states of a parameter. */
export type ParameterSchema = Record<string, unknown>;

declare module 'zod' {
  interface GlobalMeta {
    openapi?: ParameterSchema;
    /** True when JSON null is a value of its own; elsewhere it means that the parameter was not sent. */
    acceptsNull?: boolean;
    /** True when an object of a JSON body is taken as the text it is. */
    asWritten?: boolean;
    /** True when the parameter is ignored from callers that are no administrators. */
    forAdministrators?: boolean;
    /** True when the parameter is refused with any value. */
    unsupported?: boolean;
    /** True when the parameter takes a file of a multipart body. */
    file?: boolean;
  }
}

/** Why a value is refused. */
export class Problem {
  constructor(
    /** The text behind the parameter's name. */
    readonly text: string,
    /** What is said, with no name, where this is all that is wrong; undefined: the same. */
    readonly alone?: string,
  ) {}
}
/** A problem with this text. */
export const problem = (text: string, alone?: string): Problem => new Problem(text, alone);
/** The problem of a value of another type. */
export const invalid = problem('is invalid');

/**
 * A schema that reads a value by `read`; an absent one `is missing`.
 * @param openapi what the document states of the values that it accepts
 * @param acceptsNull true when JSON null is a value of its own
 */
export function kind<T>(
  openapi: ParameterSchema,
  read: (value: unknown) => T | Problem,
  acceptsNull = false,
): z.ZodType<T> {
  return z
    .unknown()
    .transform((value, context): T => {
      const result = value === undefined ? problem('is missing') : read(value);
      if (!(result instanceof Problem)) return result;
      context.issues.push({ code: 'custom', message: result.text, input: value, params: { alone: result.alone } });
      return z.NEVER;
    })
    .meta({ openapi, acceptsNull }) as unknown as z.ZodType<T>;
}
