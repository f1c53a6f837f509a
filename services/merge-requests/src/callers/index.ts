export { type Caller, callerOf, inProject } from './caller';
