export { composeDependencyListExports } from './compose';
