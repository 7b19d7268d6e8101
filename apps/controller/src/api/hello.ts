import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Route } from '../http/route.ts';

/** The greeting: who asks, what time it is and, with a key, what it may do. */
export function helloRoutes(clock: Clock): Route[] {
  return [
    {
      method: 'GET',
      path: '/hello',
      level: 'none',
      tag: 'Service',
      summary: "Greeting with the caller's address and the time in UTC; with a key also what it may do.",
      response: z.string(),
      names: undefined,
      mediaType: 'text/plain',
      run: async ({ address, key, session }) => {
        const now = new Date(clock.nowUs() / 1000).toISOString();
        const lines = [`Hello ${address}`, `The time is ${now.slice(0, 10)} ${now.slice(11, 19)} UTC.`];
        if (session !== undefined && key !== undefined)
          lines.push(
            `Using key:  ${key}`,
            'Key type:   API',
            `Auth level: ${session.level}`,
            `HTTP Auth:  ${session.hasBasic ? 'Yes' : 'No'}`,
          );
        return { body: `${lines.join('\n')}\n` };
      },
    },
  ];
}
