export type { StandIn } from './application/manage-placeholders';
export { composePlaceholders, type PlaceholdersArea } from './compose';
export type { AskedUser, ForeignPerson } from './domain/placeholder';
export { namedProject } from './transport/named-project';
