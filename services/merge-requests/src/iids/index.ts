export { nextIid } from './iid.store';
