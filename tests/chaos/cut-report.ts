import { spawn } from 'node:child_process';
import path from 'node:path';
import { z } from 'zod';
import { createStar, inside } from '../harness/netns.ts';

const uptime = z.object({
  Uptime: z.object({
    UpSeconds: z.number(),
    DownSeconds: z.number(),
    MaintenanceSeconds: z.number(),
    UnknownSeconds: z.number(),
    Outages: z.number(),
  }),
});
const event = z.object({
  device_id: z.string().nullable(),
  Type: z.string(),
  Timestamp: z.string(),
  Late: z.boolean(),
});
const report = z.object({
  cutAt: z.number(),
  healedAt: z.number(),
  truth: z.object({ diedAt: z.number().nullable(), returnedAt: z.number().nullable() }),
  devices: z.array(
    z.object({
      device: z.object({ Status: z.string(), StatusSince: z.string().nullable(), device_id: z.string() }),
      uptime,
      uptimeToNow: uptime,
      events: z.array(event),
      checks: z.array(z.object({ Timestamp: z.string(), ResultCode: z.number(), Location: z.string() })),
    }),
  ),
  /** Events of the account, including those of Locations. */
  events: z.array(event),
});

/** The report of a scene. Times are milliseconds since 1970. */
export type Report = z.infer<typeof report>;

/** Runs a scene in a new star of namespaces and reads its report. */
export async function play(tag: string, scene: string, minutes: number): Promise<Report> {
  using star = createStar(tag, ['c', 'a', 't', 'b']);
  const script = path.join(import.meta.dirname, 'cut-scene.ts');
  const child = spawn(
    'ip',
    inside(star.host('c').netns, process.execPath, script, tag, scene, String(minutes)),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`the scene ${scene} ended with ${code}`);
  return report.parse(JSON.parse(text.trim().split('\n').at(-1) ?? ''));
}
