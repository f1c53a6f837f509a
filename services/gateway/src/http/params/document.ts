import { z } from 'zod';
import type { ParameterSchema } from './kind';

/** What the OpenAPI document states of a schema built from this folder: what it takes, not what it gives. */
export function openapiOf(schema: unknown): ParameterSchema {
  const { $schema: _, ...own } = z.toJSONSchema(schema as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => describeInDocument(zodSchema, jsonSchema),
  });
  return own;
}

/**
 * Completes zod's JSON Schema: zod knows neither what `kind` takes nor, on the input side, the default of a transform.
 */
function describeInDocument(schema: unknown, json: ParameterSchema): void {
  const own = (schema as z.ZodType).meta()?.openapi;
  if (own !== undefined) replace(json, own);
  else if (schema instanceof z.ZodDefault) json.default = schema.parse(undefined);
  else if (schema instanceof z.ZodObject) replace(json, withoutUnsupported(schema, json));
}

function replace(json: ParameterSchema, by: ParameterSchema): void {
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, by);
}

const withoutUnsupported = ({ shape }: z.ZodObject, { type, required, properties }: ParameterSchema) => ({
  type,
  ...(required === undefined ? {} : { required }),
  properties: Object.fromEntries(
    Object.entries(properties as ParameterSchema).filter(([name]) => !isUnsupported(shape[name])),
  ),
});

/** The document's schema of an object with these members, without those that are refused. */
export const objectOf = (shape: Readonly<Record<string, unknown>>): ParameterSchema =>
  openapiOf(z.object(shape as z.ZodRawShape));

/** What an optional schema, or one with a default, says of values that are sent; undefined for every other. */
const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : undefined;

/** The members of a hash, through what makes it optional; undefined for every other kind of parameter. */
export function memberShape(schema: unknown): z.ZodRawShape | undefined {
  if (schema instanceof z.ZodObject) return schema.shape;
  const inner = schema instanceof z.ZodPipe ? schema.out : unwrapped(schema);
  return inner === undefined ? undefined : memberShape(inner);
}

/** Whether a parameter may be left out. */
export const acceptsAbsence = (schema: unknown): boolean => unwrapped(schema) !== undefined;

type Mark = 'acceptsNull' | 'asWritten' | 'file' | 'forAdministrators' | 'unsupported';

function isMarked(schema: unknown, mark: Mark): boolean {
  const inner = unwrapped(schema);
  return (schema as z.ZodType).meta()?.[mark] ?? (inner !== undefined && isMarked(inner, mark));
}

/** True when the parameter is refused with any value. */
export const isUnsupported = (schema: unknown): boolean => isMarked(schema, 'unsupported');

/** True when JSON null is a value of the schema rather than "not sent". */
export const acceptsNull = (schema: unknown): boolean => isMarked(schema, 'acceptsNull');

/** True when an object of a JSON body is taken as the text it is. */
export const isAsWritten = (schema: unknown): boolean => isMarked(schema, 'asWritten');

/** True when the parameter takes a file of a multipart body. */
export const isFile = (schema: unknown): boolean => isMarked(schema, 'file');

/** True when the parameter is ignored from callers that are no administrators. */
export const isForAdministrators = (schema: unknown): boolean => isMarked(schema, 'forAdministrators');
