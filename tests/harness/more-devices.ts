import type { System } from './system.ts';

/** Operations of one batch. */
const atOnce = 500;

/** Adds so many devices that check this port each minute (of the system's time). */
export async function addDevices(system: System, count: number, port: number): Promise<void> {
  for (let from = 0; from < count; from += atOnce)
    await system.api.ok('POST', '/batch', {
      Operations: Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => ({
        Method: 'POST',
        Path: '/devices',
        Body: {
          Method: 'TCP',
          URL: `tcp://127.0.0.1:${port}`,
          ShortName: `beside-${from + at}`,
          Frequency: 1,
        },
      })),
    });
}
