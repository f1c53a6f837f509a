export { composeProjectExports } from './compose';
