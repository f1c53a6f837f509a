export type { StandIn, StandInTarget } from './application/manage-placeholders';
export { composePlaceholders, type PlaceholdersArea } from './compose';
export type { AskedUser, ForeignPerson, ImportMembers, PromisedRole } from './domain/placeholder';
export { importMembersBy } from './transport/import-members.client';
export { namedProject } from './transport/named-project';
