export { composeWebhooks, type WebhookArea } from './compose';
export { webhookSecrets } from './storage/webhook-secrets.store';
