export { composePypi } from './compose';
