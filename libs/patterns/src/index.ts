export { type Expression, expressionsInSlices, type MatchingLimits, parseExpression } from './expression';
export { maxWildcards, wildcard, wildcardProblem } from './wildcard';
