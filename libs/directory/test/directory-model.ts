export * from '@switchyard/testkit/installation';
