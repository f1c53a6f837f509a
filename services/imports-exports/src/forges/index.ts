export * from './domain/forge';
export { type ForgeaHost, forgeaClient, forgeaHost } from './transport/forgea.client';
