import { z } from '@switchyard/config';
import { type Allowed, parseAllowed } from './allowed';
import { type Outbound, openOutbound } from './outbound';

const proxy = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must be an http:// or https:// address',
  )
  .optional();

/** Variables of a service that sends requests to the outside; see docs/operations.md. */
export const outboundVariables = {
  /** Hosts, `host:port`, addresses and ranges that are not public and may be reached, separated by commas. */
  SWITCHYARD_OUTBOUND_ALLOWED: z
    .string()
    .default('')
    .transform((list, context): Allowed => {
      try {
        return parseAllowed(list);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    }),
  /** Proxy of https addresses; default: that of HTTP_PROXY. */
  HTTPS_PROXY: proxy,
  /** Proxy of http addresses. */
  HTTP_PROXY: proxy,
  /** Hosts, with all below them, that are reached without a proxy, separated by commas; `*` for all. */
  NO_PROXY: z.string().default(''),
} as const;

/** Opens the way out as the environment has it. */
export const configuredOutbound = (config: z.infer<z.ZodObject<typeof outboundVariables>>): Outbound =>
  openOutbound({
    allowed: config.SWITCHYARD_OUTBOUND_ALLOWED,
    proxies: { http: config.HTTP_PROXY, https: config.HTTPS_PROXY, none: config.NO_PROXY },
  });
