export { nextIid, reserveIids } from './iid.store';
