// Strangers read a status page far more often than anybody needs.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { scenes } from './harness/shared.ts';
import { readSteadily } from './harness/steady-readers.ts';

const [perSecond, seconds] = [1_000, 6];
/** Readers see statuses that are at most so old. */
const freshS = 5;
/** A PNG image of 2 × 1 pixels. */
const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGNoaAAAAYMBARg1IhUAAAAASUVORK5CYII=';

test('a status page that is asked 1,000 times a second is answered from memory and costs the checks nothing', async () => {
  await scenes.play(
    'a status page asked 1,000 times a second',
    async ({ hostile, baseUrl, ca }) => {
      const body = { Name: 'Asked', Path: 'asked', Logo: `data:image/png;base64,${logo}` };
      const { page_id: id } = z
        .object({ page_id: z.string() })
        .parse(await hostile.api.ok('POST', '/pages', body));
      const paths = ['', '', '', '.png', '.atom', '.json'].map((end) => `/status/asked${end}`);
      const origin = new URL(baseUrl).origin;
      const { sent, statuses, texts } = await readSteadily({ origin, ca, paths, perSecond, seconds });
      process.stdout.write(
        `  status page: ${sent} requests, ${JSON.stringify(statuses)}, ${texts.size} readings\n`,
      );
      expect(sent).toBeGreaterThan(perSecond * seconds * 0.9);
      expect(statuses).toEqual({ 200: sent });
      // Each reading of the database has a Timestamp of its own.
      expect(texts.size).toBeGreaterThan(1);
      expect(texts.size).toBeLessThanOrEqual(Math.ceil(seconds / freshS) + 2);
      await hostile.api.ok('DELETE', `/pages/${id}`);
    },
    { maxMs: 60_000 },
  );
}, 300_000);
