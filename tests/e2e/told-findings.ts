import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import type { System } from '../harness/system.ts';
import { doctor } from './programs/run-doctor.ts';

const installation = z.object({
  Findings: z.array(z.object({ Id: z.string(), Severity: z.string(), Text: z.string(), Remedy: z.string() })),
});
const firstRun = z.object({ api_key_ua: z.string() });

/** The four that report findings about the installation, and the exit status of the doctor. */
export interface Told {
  readonly doctor: boolean;
  readonly exit: number | null;
  readonly readyz: boolean;
  readonly page: boolean;
  readonly log: boolean;
}

/**
 * Returns whether the doctor, `/readyz`, the page (by `GET /installation`) and the controller's log report a finding
 * with this severity and these words. `settings` are those of the system.
 */
export async function whoTells(
  system: System,
  { level, words }: { readonly level: 'warning' | 'fault'; readonly words: string },
  settings: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const { base_url: baseUrl, ca_file: caFile } = system.quickstart();
  const file = path.join(system.dataDir, 'first-run.json');
  const { api_key_ua: key } = firstRun.parse(JSON.parse(readFileSync(file, 'utf8')));
  const page = createApi({ baseUrl, caFile, key });
  const outer = createApi({ baseUrl: new URL(baseUrl).origin, caFile });
  try {
    const examined = await doctor(system.dataDir, settings);
    const { Findings } = installation.parse(await page.ok('GET', '/installation'));
    const ready = (await outer.call('GET', '/readyz')).text.split('\n');
    const log = readFileSync(path.join(system.dataDir, 'log/controller.log'), 'utf8');
    return {
      doctor: examined.bad.some((found) => found.level === level && found.text.includes(words)),
      exit: examined.code,
      readyz: ready.some((line) => line.startsWith(`${level}: `) && line.includes(words)),
      page: Findings.some(({ Severity, Text }) => Severity === level && Text.includes(words)),
      log: log.includes(words),
    };
  } finally {
    page.close();
    outer.close();
  }
}
