export { composeProjectImports } from './compose';
