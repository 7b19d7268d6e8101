// The thread that reads another tool's files. Foreign texts may take long to parse, so the event loop does not read
// them, and the main thread terminates this one after a time.
import { parentPort } from 'node:worker_threads';
import { buildApplyFile, readFormat, sentFiles } from '@vantage/imports';
import { Fault } from '@vantage/kernel';
import type { ImportAnswer, SentImport } from './plan-import.ts';

const modulesName = 'the file of modules';

async function planOf({ format, files, modules, module }: SentImport): Promise<ImportAnswer> {
  const [first, ...others] = files.map(({ name }) => name);
  if (first === undefined) return { kind: 'unreadable', message: 'no file was sent' };
  const texts = new Map([
    ...(modules === undefined ? [] : [[modulesName, modules] as const]),
    ...files.map(({ name, text }) => [name, text] as const),
  ]);
  const choices = { modules: modules === undefined ? undefined : modulesName, module };
  try {
    const reading = readFormat(format, [first, ...others], choices, sentFiles(texts));
    return { kind: 'read', outcome: await buildApplyFile(reading, `import/${format}`) };
  } catch (error) {
    // Another error is one of the program, and ends the thread.
    if (error instanceof Fault) return { kind: 'unreadable', message: error.message };
    throw error;
  }
}

const port = parentPort;
port?.once('message', (sent: SentImport) => {
  void planOf(sent).then((answer) => port.postMessage(answer));
});
