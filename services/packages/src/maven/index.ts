export { composeMaven } from './compose';
