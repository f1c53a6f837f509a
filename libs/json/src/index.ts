export { type JsonBounds, jsonMeasure, nestsDeeperThan } from './measure';
