export type { AccountFields, AccountUsers } from './application/account-users';
export type { DeleteUser } from './application/users';
export { composeUsers, type UsersArea } from './compose';
export type { UserRow } from './domain/user-row';
export { presentFullUser } from './presenters/user.presenter';
export { makeInstanceUsers } from './storage/instance-user.store';
export { findUser, hasEmail } from './storage/user.list';
