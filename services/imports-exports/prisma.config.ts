import { defineConfig } from 'prisma/config';

// `prisma generate` asks for the native schema engine without using it; any executable will do.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= '/bin/true';

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } });
