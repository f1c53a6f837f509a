export { composeMilestones } from './compose';
