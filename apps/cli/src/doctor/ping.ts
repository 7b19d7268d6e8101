import { connect } from 'node:net';
import path from 'node:path';
import type { Finding } from '@vantage/kernel';
import { parseJson } from '@vantage/kernel';
import { z } from 'zod';
import { pingRemedy } from '../up/system.ts';

/** The part of the agent's status that is read here; `vantage-agent status` reads it all. */
const status = z.object({ pingFault: z.string().nullable() });
const maxBytes = 65_536;
const answerWithinMs = 5_000;

/**
 * Examines the right to ping of the agent that `vantage up` runs on this data folder. Nothing where no agent answers:
 * other steps name it.
 */
export async function examinePing(folder: string): Promise<readonly Finding<'PING'>[]> {
  const step = 'PING';
  const text = await receive(path.join(folder, 'agent', 'status.sock')).catch(() => undefined);
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

function receive(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(file);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error('the agent does not answer')));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > maxBytes) socket.destroy(new Error('the answer is too long'));
    });
    socket.once('error', reject);
    socket.once('end', () => resolve(text));
  });
}
