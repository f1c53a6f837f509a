import type { ProjectRule } from '@switchyard/directory';

/** Who reads the merge requests of a project: everyone who sees it, in a private one from Reporter on (ability `read_merge_request`). */
export const mergeRequestRule: ProjectRule = { privateLevel: 20, feature: 'merge_requests' };
