import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault } from '@vantage/kernel';
import { z } from 'zod';
import type { CommandLine } from '../command-line.ts';
import { print } from '../print-answer.ts';

/**
 * The program that creates release keys and signs parcels. It runs as a process, because the CLI imports no other app.
 */
const program = path.resolve(import.meta.dirname, '../../../../agent-installer/src/release.ts');

const newKeySchema = z.object({
  private_key: z.string().describe('Keep this file away from the controllers.'),
  public_key: z.string(),
  line: z.string().describe('The value of VANTAGE_RELEASE_PUBLIC_KEY.'),
});
const signedSchema = z.array(
  z.object({ parcel: z.string(), version: z.string(), arch: z.string(), sha256: z.string() }),
);
const failure = z.object({ error: z.string() });

/** These commands need no database and no controller. */
export function addReleaseCommands({ group, asJson }: CommandLine): void {
  const show = (answer: object) => print(answer, asJson());
  group('release-key', 'the key that signs versions of the agent')
    .command('create <file>')
    .description('create a release key: the private key in the file, the public key in FILE.pub')
    .action(async (file: string) => show(await run(newKeySchema, 'create', path.resolve(file))));
  group('parcel', 'parcels of the agent, built by "npm run parcel"')
    .command('sign [parcels...]')
    .description('sign parcels with the release key (default: all that "npm run parcel" built)')
    .requiredOption('--key <file>', 'the private release key')
    .action(async (parcels: string[], { key }: { key: string }) =>
      show(await run(signedSchema, 'sign', ...[key, ...parcels].map((file) => path.resolve(file)))),
    );
}

async function run<T>(answer: z.ZodType<T>, ...args: string[]): Promise<T> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const reply: unknown = JSON.parse(await text(child.stdout));
  const failed = failure.safeParse(reply);
  if (failed.success) throw new Fault('stop', 'release', failed.data.error);
  return answer.parse(reply);
}
