import { z } from 'zod';
import type { Api } from '../harness/api.ts';

const batchAnswer = z.object({ Results: z.array(z.object({ Status: z.number(), Body: z.unknown() })) });
/** Operations of a batch. */
const atOnce = 500;

/** Creates `count` devices in batches. Throws where one is refused. */
export async function createDevices(
  api: Api,
  count: number,
  bodyOf: (at: number) => Readonly<Record<string, unknown>>,
): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    const answer = await api.ok('POST', '/batch', {
      Operations: Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => ({
        Method: 'POST',
        Path: '/devices',
        Body: bodyOf(from + at),
      })),
    });
    const refused = batchAnswer.parse(answer).Results.find(({ Status }) => Status !== 200);
    if (refused !== undefined) throw new Error(`a device is refused: ${JSON.stringify(refused.Body)}`);
  }
}
