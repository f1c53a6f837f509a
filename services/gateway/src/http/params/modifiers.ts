import { isDeepStrictEqual } from 'node:util';
import { isStorable } from '@switchyard/texts';
import type { z } from 'zod';
import { acceptsNull, isAsWritten, isFile, openapiOf } from './document';
import { isScalar } from './json-values';
import { kind, type ParameterSchema, problem } from './kind';

/** A schema that takes JSON null as well. */
const orNull = ({ type, enum: words, oneOf, ...facts }: ParameterSchema): ParameterSchema => ({
  ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
  ...(words === undefined ? {} : { enum: [...(words as unknown[]), null] }),
  ...(oneOf === undefined ? {} : { oneOf: [...(oneOf as unknown[]), { type: 'null' }] }),
  ...facts,
});

/** The parameter, or null when it is sent blank or as null: "unassign", "clear". */
export const nullable = <T>(inner: z.ZodType<T>): z.ZodType<T | null> =>
  kind(
    orNull(openapiOf(inner)),
    (value) => {
      if (value === null || value === '') return null;
      const parsed = inner.safeParse(value);
      return parsed.success ? parsed.data : problem(parsed.error.issues[0]?.message ?? 'is invalid');
    },
    true,
  );

const describe = (schema: unknown, sentence: string): ParameterSchema => {
  const openapi = openapiOf(schema);
  return { ...openapi, description: [openapi.description, sentence].filter(Boolean).join(' ') };
};

/**
 * A filter, or something that is requested beside, that nothing is behind yet. It is refused with `is not supported`: a
 * list that ignored it would hold what was not requested. The document names it in the description of the operation alone, so that what fits the document is
 * accepted. Options that only add fields are left undeclared instead: those are ignored.
 */
export const unsupported = <T>(inner: z.ZodType<T>): z.ZodType<undefined> =>
  kind(openapiOf(inner), (value) => {
    const parsed = inner.safeParse(value);
    return problem(parsed.success ? 'is not supported' : (parsed.error.issues[0]?.message ?? 'is invalid'));
  })
    .meta({ openapi: openapiOf(inner), unsupported: true })
    .optional() as unknown as z.ZodType<undefined>;

/**
 * A setting that nothing enforces yet: it can be sent with the value that describes what happens, `standard`. Any other
 * is refused, for it would promise what is not kept.
 */
export const onlyDefault = <T>(inner: z.ZodType<T>, standard: T): z.ZodType<T> => {
  const written = JSON.stringify(standard);
  return kind(
    { ...describe(inner, `Not supported yet: values other than ${written} are refused with 400.`), const: standard },
    (value) => {
      const parsed = inner.safeParse(value);
      if (!parsed.success) return problem(parsed.error.issues[0]?.message ?? 'is invalid');
      return isDeepStrictEqual(parsed.data, standard) ? parsed.data : problem(`is not supported except as ${written}`);
    },
    acceptsNull(inner),
  );
};

/** Characters of a refused value that its refusal repeats. */
const maxRepeated = 255;

/**
 * The same parameter, whose refusal has a text of its own, under `message`, where nothing else is wrong; beside other
 * problems it is named as they are.
 */
export const refusedAs = <T>(inner: z.ZodType<T>, textOf: (value: string) => string): z.ZodType<T> =>
  kind(
    openapiOf(inner),
    (value) => {
      const parsed = inner.safeParse(value);
      if (parsed.success) return parsed.data;
      const sent = isScalar(value) ? String(value) : undefined;
      const repeats = sent !== undefined && sent.length <= maxRepeated && isStorable(sent);
      return problem(parsed.error.issues[0]?.message ?? 'is invalid', repeats ? textOf(sent) : undefined);
    },
    acceptsNull(inner),
  );

/**
 * A parameter that administrators alone can send; from others it is ignored before anything is said of it (G-4.15-11).
 */
export const forAdministrators = <T extends z.ZodType>(schema: T): T =>
  schema.meta({
    openapi: describe(schema, 'For administrators; ignored from others.'),
    acceptsNull: acceptsNull(schema),
    forAdministrators: true,
  }) as T;

/**
 * The same parameter; the document states more of it: what the service behind refuses, such as a length, or what it
 * means. `facts` stand beside and over those of the schema. Fails nothing itself: the texts of such refusals are the
 * service's.
 */
export const documented = <T>(schema: z.ZodType<T>, facts: ParameterSchema): z.ZodType<T> =>
  schema.meta({
    acceptsNull: acceptsNull(schema),
    asWritten: isAsWritten(schema),
    file: isFile(schema),
    openapi: { ...openapiOf(schema), ...facts },
  });
