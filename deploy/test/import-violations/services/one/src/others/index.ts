export { inner } from './domain/inner';
