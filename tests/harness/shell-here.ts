import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { useHere } from '../../apps/cli/src/testing/run-vantage.ts';
import { type Ran, runProgram } from './run-vantage.ts';

/** A shell in a folder whose `./vantage` runs its commands in the test's process. */
interface ShellHere extends AsyncDisposable {
  /** Runs lines with these settings. */
  sh(lines: string, settings: Readonly<Record<string, string>>): Promise<Ran>;
}

/** Sends its arguments to the test's process, and ends as the command did. */
const script = (socket: string, answer: string) => `#!/bin/bash
printf '%s\\0' "$@" | curl -s --unix-socket '${socket}' --data-binary @- http://here/ >/dev/null || exit 99
cat '${answer}/out'
cat '${answer}/err' >&2
exit "$(cat '${answer}/code')"
`;

/**
 * For the tests of a file: makes shells whose `./vantage` spares the starts of the programs, which cost ten times as
 * much as a command. It has no standard input, and its commands run one at a time.
 */
export function useShellHere(): (folder: string) => Promise<ShellHere> {
  const run = useHere();
  return async (folder) => {
    const answer = path.join(folder, '.here');
    const socket = path.join(answer, 'socket');
    let present: Readonly<Record<string, string>> = {};
    const command = async (text: string) => {
      const from = process.cwd();
      process.chdir(folder);
      try {
        const ended = await run(text.split('\0').slice(0, -1), { VANTAGE_DATA: 'data', ...present });
        for (const [name, value] of Object.entries(ended))
          writeFileSync(path.join(answer, name), String(value));
      } finally {
        process.chdir(from);
      }
    };
    const server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        const status = (code: number) => response.writeHead(code).end();
        command(text).then(
          () => status(200),
          () => status(500),
        );
      });
    });
    mkdirSync(answer);
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    writeFileSync(path.join(folder, 'vantage'), script(socket, answer), { mode: 0o755 });
    return {
      sh(lines, settings) {
        present = settings;
        return runProgram('bash', ['-e', '-o', 'pipefail', '-c', lines], { env: settings, cwd: folder });
      },
      async [Symbol.asyncDispose]() {
        await new Promise((resolve) => server.close(resolve));
        rmSync(answer, { recursive: true });
      },
    };
  };
}
