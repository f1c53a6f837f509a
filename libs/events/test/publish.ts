export { publish } from '@switchyard/testkit/installation';
