import type { AvatarChange as WireChange } from '@switchyard/protos/groups_admin/v1/avatar';
import type { AvatarChange } from '../domain/avatar';

/** A change of an avatar as a request of its owner carries it; undefined when none was sent. */
export const toAvatarChange = (wire: WireChange | undefined): AvatarChange | undefined => wire && { file: wire.file };
