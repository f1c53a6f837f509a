export { composeNamespaces } from './compose';
