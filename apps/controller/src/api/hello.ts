import type { Clock } from '@vantage/kernel';
import type { Route } from '@vantage/rest-kit/route';
import { openRoute } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { z } from 'zod';

const fields = z.object({
  Address: z.string(),
  Time: z.string(),
  Key: z.string().optional(),
  KeyType: z.string().optional(),
  AuthLevel: z.string().optional(),
  HTTPAuth: z.boolean().optional(),
});

/** The greeting: who asks, what time it is and, with a key, what it may do. */
export function helloRoutes(clock: Clock): Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/hello',
      tag: 'Service',
      summary: "Greeting with the caller's address and the time in UTC; with a key also what it may do.",
      description:
        'Plain text. With `fmt` the same facts as JSON, XML or CSV: Address, Time, Key, KeyType, AuthLevel, HTTPAuth.',
      response: z.string(),
      names: { root: 'hello' },
      mediaType: 'text/plain',
      fields,
      handler: async ({ address, key, session, query }) => {
        const now = new Date(clock.nowUs() / 1000).toISOString();
        const known = session !== undefined && key !== undefined ? { ...session, key } : undefined;
        if (query.has('fmt')) return { body: facts(address, now, known) };
        const lines = [`Hello ${address}`, `The time is ${now.slice(0, 10)} ${now.slice(11, 19)} UTC.`];
        if (known !== undefined)
          lines.push(
            `Using key:  ${known.key}`,
            'Key type:   API',
            `Auth level: ${known.level}`,
            `HTTP Auth:  ${known.hasBasic ? 'Yes' : 'No'}`,
          );
        return { body: `${lines.join('\n')}\n` };
      },
    }),
  ];
}

function facts(
  address: string,
  now: string,
  known: (Session & { readonly key: string }) | undefined,
): z.input<typeof fields> {
  return {
    Address: address,
    Time: `${now.slice(0, 19)}Z`,
    ...(known === undefined
      ? {}
      : { Key: known.key, KeyType: 'API', AuthLevel: known.level, HTTPAuth: known.hasBasic }),
  };
}
