export { composeGolang } from './compose';
