import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault } from '@vantage/kernel';
import { z } from 'zod';
import type { CommandLine } from '../command-line.ts';
import { print } from '../output.ts';

/**
 * The program that makes release keys and signs. It lies with what builds parcels, and parts are joined by processes.
 */
const program = path.resolve(import.meta.dirname, '../../../../agent-installer/src/release.ts');

const newKey = z.object({
  private_key: z.string().describe('Keep this file away from the controllers.'),
  public_key: z.string(),
  line: z.string().describe('The value of VANTAGE_RELEASE_PUBLIC_KEY.'),
});
const signed = z.array(
  z.object({ parcel: z.string(), version: z.string(), arch: z.string(), sha256: z.string() }),
);
const failure = z.object({ error: z.string() });

/** Adds `release-key create` and `parcel sign`. They need no database and no controller. */
export function addReleaseCommands({ group, asJson }: CommandLine): void {
  const show = (answer: object) => print(answer, asJson());
  group('release-key', 'the key that signs versions of the agent')
    .command('create <file>')
    .description('make a release key: the private one in the file, the public one in FILE.pub')
    .action(async (file: string) => show(await run(newKey, 'create', path.resolve(file))));
  group('parcel', 'parcels of the agent, made by "npm run parcel"')
    .command('sign [parcels...]')
    .description('sign parcels with the release key (default: all that "npm run parcel" made)')
    .requiredOption('--key <file>', 'the private release key')
    .action(async (parcels: string[], { key }: { key: string }) =>
      show(await run(signed, 'sign', ...[key, ...parcels].map((file) => path.resolve(file)))),
    );
}

async function run<T>(answer: z.ZodType<T>, ...args: string[]): Promise<T> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const found: unknown = JSON.parse(await text(child.stdout));
  const failed = failure.safeParse(found);
  if (failed.success) throw new Fault('stop', 'release', failed.data.error);
  return answer.parse(found);
}
