export { type Caller, callerOf, viewerOf } from './caller';
