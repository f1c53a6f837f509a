export { composeGistImports } from './compose';
