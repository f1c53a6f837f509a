export { composeReleases, followTags } from './compose';
export { releaseNotesOf } from './storage/release.store';
