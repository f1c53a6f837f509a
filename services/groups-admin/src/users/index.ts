export { hasEmail } from './storage/user.list';
