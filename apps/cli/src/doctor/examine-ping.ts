import path from 'node:path';
import type { Finding } from '@vantage/kernel';
import { parseJson, readUnixSocket } from '@vantage/kernel';
import { z } from 'zod';
import { pingRemedy } from '../up/local-system.ts';

/** The part of the agent's status that this step needs; `vantage-agent status` reads all of it. */
const status = z.object({ pingFault: z.string().nullable() });

/**
 * Examines whether the agent that `vantage up` runs on this data folder may ping. Returns nothing if no agent answers,
 * because other steps report that.
 */
export async function examinePing(folder: string): Promise<readonly Finding<'PING'>[]> {
  const step = 'PING';
  const file = path.join(folder, 'agent', 'status.sock');
  const text = await readUnixSocket(file, 'the agent').catch(() => undefined);
  const answer = status.safeParse(parseJson(text));
  if (!answer.success) return [];
  const { pingFault } = answer.data;
  if (pingFault === null) return [{ level: 'ok', step, text: 'the agent of this system may ping' }];
  return [
    {
      level: 'warning',
      step,
      text: `the agent of this system may not ping: ${pingFault}`,
      remedy: pingRemedy,
    },
  ];
}
