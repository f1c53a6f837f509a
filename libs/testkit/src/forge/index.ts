export { type FakeForge, type ForgeContents, type ForgeFault, startFakeForge } from './fake-forge';
export { gitBackend } from './git-backend';
