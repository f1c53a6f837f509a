export type { KeepAvatar } from './application/avatars';
export { composeAvatars } from './compose';
export { type AvatarChange, avatarProblems, type StoredAvatar } from './domain/avatar';
export { setAvatar } from './storage/avatar.store';
export { toAvatarChange } from './transport/wire-avatar';
