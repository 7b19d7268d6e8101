import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Runs promtool with a text as its input; returns what it complains about ('' when nothing), undefined when this
 * machine has no promtool.
 */
export function promtoolComplaints(args: readonly string[], input = ''): string | undefined {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error !== undefined) return undefined;
  return status === 0 && stderr === '' ? '' : `${stdout}${stderr}`;
}

/**
 * Runs promtool while this process goes on to answer its requests; returns what it writes, undefined when this machine
 * has no promtool.
 */
export function promtoolAnswer(args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('promtool', args, (error, stdout, stderr) =>
      resolve(error?.code === 'ENOENT' ? undefined : `${stdout}${stderr}`),
    );
  });
}

/** The series of Vantage in a scrape's text that docs/metrics.md does not describe. */
export function undocumentedSeries(text: string): string[] {
  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  const described = new Set([...page.matchAll(/`(vantage_\w+)`/g)].map(([, name]) => name));
  const names = [...text.matchAll(/^# HELP (vantage_\w+) /gm)].map(([, name = '']) => name);
  return names.filter((name) => !described.has(name));
}
