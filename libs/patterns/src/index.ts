export { type Expression, expressionsInSlices, type MatchingLimits, parseExpression } from './expression';
export { type FindKeys, type FoundKey, type KeyForm, keyFinder } from './keys';
export { maxWildcards, wildcard, wildcardProblem } from './wildcard';
