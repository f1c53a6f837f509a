export { composeDependencySources } from './compose';
