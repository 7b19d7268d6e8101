/**
 * The guest process: one script, then nothing. It runs with an empty environment and without any right to files,
 * processes or threads; lines come from the spawner on stdin and go to it on stdout. Arguments: the script's time in
 * milliseconds, its memory in bytes and, where it starts as root, the user that it becomes before it sees the script.
 */

import { dropPrivileges } from './drop-privileges.ts';
import { createInterpreter } from './interpreter.ts';
import { createLineSplitter, longestLine } from './lines.ts';

/**
 * The agent cuts the run off at its deadline; the guest ends by itself a little later, should nobody be left to do so.
 */
const graceMs = 300;
/** Bytes a script may send in all. */
const maxSent = 4 * 1024 * 1024;

const [timeoutMs = 0, memoryBytes = 0, userId = 0] = process.argv.slice(2).map(Number);
const deadline = performance.now() + timeoutMs + graceMs;
let sentBytes = 0;
const flooded = () => sentBytes > maxSent;
const expired = () => flooded() || performance.now() > deadline;

const interpreter = await createInterpreter({ memoryBytes, expired }, (line) => {
  if (flooded()) return;
  sentBytes += Buffer.byteLength(line);
  const flood = '{"kind":"end","how":"error","text":"the script sent more than 4 MiB in calls and logs"}';
  process.stdout.write(`${flooded() ? flood : line}\n`);
});

/**
 * Ends the process at once, because an orderly exit can wait without end for a thread that still compiles WebAssembly.
 */
const end = () => process.kill(process.pid, 'SIGKILL');
const leave = () => {
  process.stdout.write('', end);
};

let working = false;
const work = () => {
  working = false;
  switch (interpreter.work()) {
    case 'more':
      goOn();
      return;
    case 'waiting':
      return;
    case 'ended':
      leave();
      return;
    case 'interrupted':
      if (!flooded()) process.stdout.write('{"kind":"end","how":"late","text":""}\n');
      leave();
  }
};
const goOn = () => {
  if (working) return;
  working = true;
  setImmediate(work);
};

let begun = false;
const split = createLineSplitter(
  longestLine,
  (line) => {
    if (begun) interpreter.deliver(line);
    else interpreter.begin(line);
    begun = true;
    goOn();
  },
  end,
);
dropPrivileges(userId);
process.stdin.on('data', split);
process.stdout.write('{"kind":"ready"}\n');
process.stdin.on('end', end);
setTimeout(end, timeoutMs + graceMs);
