export type { Instance } from './presenters/group.presenter';
