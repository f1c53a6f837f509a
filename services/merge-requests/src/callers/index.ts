export { type Caller, callerOf } from './caller';
