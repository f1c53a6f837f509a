export { composeUploads } from './compose';
