// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps are written so
import type { SchemaFact } from './openapi-schema.ts';

/** Facts of the Options for logins, steps, pings, sources and marks, as in `facts`. */
export const networkFacts: Readonly<Record<string, SchemaFact>> = {
  'OptionsHTTP.Auth': { example: 'Digest' },
  'OptionsHTTP.Steps': {
    example: [
      { Name: 'Log in', URL: '/login', Method: 'POST', Extract: [{ Name: 'token', JSONPath: '$.token' }] },
      { Name: 'Orders', URL: '/orders', Headers: { Authorization: 'Bearer ${token}' }, ExpectText: 'open' },
    ],
  },
  DSCP: { example: 'EF' },
  ExpiryWarningDays: { example: [30, 14, 7] },
  IntervalMs: { example: 200 },
  MaxJitterMs: { example: 20 },
  MaxLossPercent: { example: 20 },
  MaxRTTMs: { example: 100 },
  MinMOS: { example: 3.6 },
  SourceAddress: { example: '192.0.2.10' },
  Token: { example: 'a-token', format: 'password' },
};
