/**
 * The coercions of every public parameter (G-1-4, G-1-5), with GitLab's texts (G-7-2). A schema's issue message is the
 * text behind the parameter's name; `problemsOf` in check-parameters.ts puts the names before them.
 */

export { date, dateTime } from './dates';
export {
  acceptsAbsence,
  acceptsNull,
  isAsWritten,
  isFile,
  isForAdministrators,
  isUnsupported,
  memberShape,
  objectOf,
  openapiOf,
} from './document';
export { SentFile, type SmallFile, smallFile, smallFileLimit } from './files';
export { isScalar } from './json-values';
export type { ParameterSchema } from './kind';
export { csv, integers, manyOf, manyOfIntegers, texts } from './lists';
export { documented, forAdministrators, nullable, onlyDefault, refusedAs, unsupported } from './modifiers';
export {
  csvOrNoneAny,
  idOrNoneAny,
  idsOrNoneAny,
  integerOrNoneAny,
  type NoneOrAny,
  textOrNoneAny,
} from './none-or-any';
export { hash, hashes, jsonText, object, textsByName } from './objects';
export { boolean, float, integer, oneOf, oneOfIntegers, text } from './scalars';
