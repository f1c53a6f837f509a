export { composeCrossReferences } from './compose';
