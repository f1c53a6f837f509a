/** Rules that several areas share. Pure: they import nothing but libs that the domain may import. */
export { branchNameProblems } from './branch-name';
export { type BranchProtection, defaultProtection, numberOf, protectionOf } from './branch-protection';
export { dateOf } from './date';
export { domainOf, isDomainName, maxDomainLength } from './email-domain';
export { internalUserTypes, isInternalUser } from './internal-user';
export { rangeProblems, rangesFor, writtenRanges } from './ip-ranges';
export { noreplyAddress } from './noreply-address';
export { maxDepth, nameProblems, pathFromName, pathProblems } from './path';
export { lengthProblems, maxDescription, note, type Problems, refuse, taken } from './problems';
export { isPaid } from './tier';
export { isWider, type Visibility, visibilities } from './visibility';
