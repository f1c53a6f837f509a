export * from './app-error';
export * from './kinds';
export * from './retry';
