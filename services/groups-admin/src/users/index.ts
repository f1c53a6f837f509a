export { composeUsers } from './compose';
export { makeInstanceUsers } from './storage/instance-user.store';
export { hasEmail } from './storage/user.list';
