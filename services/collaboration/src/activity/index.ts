export { composeActivity } from './compose';
export { rebuildActivity } from './rebuild-activity';
