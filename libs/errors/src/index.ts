export * from './app-error';
export * from './kinds';
