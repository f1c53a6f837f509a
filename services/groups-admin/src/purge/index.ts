export { composePurge } from './compose';
