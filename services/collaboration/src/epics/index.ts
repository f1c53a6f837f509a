export { composeEpics, type Epics } from './compose';
