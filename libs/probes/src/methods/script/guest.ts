/**
 * The guest process, which runs one script. It has an empty environment and no right to files, processes or threads. It
 * reads lines from the spawner on stdin and writes lines to stdout. Arguments: the script's time in milliseconds, its
 * memory in bytes, and the user that a guest of root becomes before it reads the script.
 */

import { dropPrivileges } from './drop-privileges.ts';
import { createInterpreter } from './interpreter.ts';
import { createLineSplitter, maxLineBytes } from './lines.ts';

/** The agent ends the run at its deadline. If the agent is gone, the guest ends this much later, milliseconds. */
const graceMs = 300;
/** Bytes that a script may send. */
const maxSentBytes = 4 * 1024 * 1024;

const [timeoutMs = 0, memoryBytes = 0, userId = 0] = process.argv.slice(2).map(Number);
const deadline = performance.now() + timeoutMs + graceMs;
let sentBytes = 0;
const flooded = () => sentBytes > maxSentBytes;
const expired = () => flooded() || performance.now() > deadline;

const interpreter = await createInterpreter({ memoryBytes, expired }, (line) => {
  if (flooded()) return;
  sentBytes += Buffer.byteLength(line);
  const flood = '{"kind":"end","how":"error","text":"the script sent more than 4 MiB in calls and logs"}';
  process.stdout.write(`${flooded() ? flood : line}\n`);
});

/** Kills this process, because an orderly exit may wait forever for a thread that compiles WebAssembly. */
const end = () => process.kill(process.pid, 'SIGKILL');
const leave = () => {
  process.stdout.write('', end);
};

let scheduled = false;
const work = () => {
  scheduled = false;
  switch (interpreter.work()) {
    case 'more':
      schedule();
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
const schedule = () => {
  if (scheduled) return;
  scheduled = true;
  setImmediate(work);
};

let begun = false;
const split = createLineSplitter(
  maxLineBytes,
  (line) => {
    if (begun) interpreter.deliver(line);
    else interpreter.begin(line);
    begun = true;
    schedule();
  },
  end,
);
dropPrivileges(userId);
process.stdin.on('data', split);
process.stdout.write('{"kind":"ready"}\n');
process.stdin.on('end', end);
setTimeout(end, timeoutMs + graceMs);
