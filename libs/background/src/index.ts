export { type Repeating, repeat } from './repeat';
