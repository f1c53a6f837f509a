export { composeRepositorySizes } from './compose';
