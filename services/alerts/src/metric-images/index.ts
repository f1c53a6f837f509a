export { composeMetricImages } from './compose';
