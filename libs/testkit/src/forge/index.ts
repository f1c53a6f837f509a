export { type FakeForge, type ForgeContents, startFakeForge } from './fake-forge';
export { type FakeForgebCloud, type ForgebCloudContents, startFakeForgebCloud } from './fake-forgeb-cloud';
export { type FakeForgebServer, type ForgebServerContents, startFakeForgebServer } from './fake-forgeb-server';
export { type ForgeFault, type ForgeServer, startForgeServer } from './forge-server';
export { gitBackend } from './git-backend';
