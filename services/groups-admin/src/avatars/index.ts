export type { KeepAvatar } from './application/avatars';
export { type AvatarArea, composeAvatars } from './compose';
export { type AvatarChange, type AvatarFile, avatarProblems, type StoredAvatar } from './domain/avatar';
export { setAvatar } from './storage/avatar.store';
export { toAvatarChange } from './transport/wire-avatar';
