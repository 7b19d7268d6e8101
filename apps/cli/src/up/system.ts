import { accessSync, constants, statfsSync } from 'node:fs';
import path from 'node:path';
import { Fault, isDiskRefusal, type KeptFiles } from '@vantage/kernel';
import type { Part } from '../part.ts';
import { type ChildEvents, type Supervised, supervise } from './child.ts';
import { pingFaultMessage, progressMessage, type Ready, readyMessage } from './controller-messages.ts';
import type { DataLock } from './lock.ts';
import { type ProcessId, sendSignal } from './processes.ts';
import type { Provision } from './provision.ts';
import { type Quickstart, quickstartOf, writeQuickstart } from './quickstart.ts';

/** The processes of a system on this machine, from the first start on. */
export interface System {
  /**
   * Starts a part. It is started again when it dies; `onFailure` is called when it dies before the system serves,
   * unless for lack of room.
   */
  start(part: Part, environment: () => NodeJS.ProcessEnv): void;
  /** The message of the controller once it serves. */
  ready(): Ready | undefined;
  /**
   * Writes quickstart.json, now and whenever a part was started again, and returns its content; undefined while a part
   * does not run. From the first call on the system serves.
   */
  publish(credentials: Provision): Quickstart | undefined;
  /** The processes that run now. */
  processes(): readonly ProcessId[];
  /** Asks the parts to end; they are not started again. */
  end(): void;
  /** Kills the parts. */
  kill(): void;
}

/** Creates a system on a data folder; no part is started yet. `say` prints a line for the operator. */
export function createSystem({
  dataDir,
  lock,
  files,
  say,
  onFailure,
}: {
  readonly dataDir: string;
  readonly lock: Pick<DataLock, 'children'>;
  readonly files: KeptFiles;
  readonly say: (text: string) => void;
  readonly onFailure: (fault: Fault) => void;
}): System {
  const parts = new Map<Part, Supervised>();
  let ready: Ready | undefined;
  let credentials: Provision | undefined;
  let isWaitingForRoom = false;

  const processes = () => [...parts.values()].map((part) => part.current()).filter((id) => id !== undefined);
  const describe = (): Quickstart | undefined => {
    const [controller, agent] = [parts.get('controller')?.current(), parts.get('agent')?.current()];
    if (!ready || !credentials || !controller || !agent) return undefined;
    const quickstart = quickstartOf(ready, credentials, { controller: controller.pid, agent: agent.pid });
    writeQuickstart(files, dataDir, quickstart);
    return quickstart;
  };
  const eventsOf = (part: Part): ChildEvents => ({
    onStart() {
      // The map holds the part only after its first start has returned.
      setImmediate(() => {
        lock.children(processes());
        describe();
      });
    },
    onMessage(message) {
      const served = readyMessage.safeParse(message);
      if (part === 'controller' && served.success) {
        ready = served.data;
        // After "database copy" it is another database.
        describe();
      }
      const pingFault = pingFaultMessage.safeParse(message);
      if (pingFault.success)
        say(`checks by PING do not work for this user: ${pingFault.data.text}. ${pingRemedy}`);
      const step = progressMessage.safeParse(message);
      if (step.success && !credentials) say(step.data.text);
    },
    onDeath({ how, errors, againInMs }) {
      if (credentials)
        say(
          `the ${part} ended (${how}), starting it again in ${(againInMs / 1000).toFixed(1)} s; see log/${part}.log`,
        );
      else if (!refusesFiles(dataDir))
        onFailure(new Fault('stop', 'first_start', `the ${part} did not start (${how}):\n${errors}`));
      else if (!isWaitingForRoom) {
        isWaitingForRoom = true;
        say(
          `the ${part} did not start (${how}), because the disk of ${dataDir} has no room or is read-only; it is started again and again:\n${errors}`,
        );
      }
    },
  });

  return {
    start(part, env) {
      const logDir = path.join(dataDir, 'log');
      parts.set(part, supervise({ part, logDir, events: eventsOf(part), env }));
    },
    ready: () => ready,
    publish(given) {
      credentials = given;
      return describe();
    },
    processes,
    end() {
      for (const part of parts.values()) part.end();
    },
    kill() {
      for (const id of processes()) sendSignal(id, 'SIGKILL');
    },
  };
}

/** Gives every user of this machine the right to ping. */
export const pingRemedy =
  'As root: sysctl -w net.ipv4.ping_group_range="0 2147483647" (docs/icmp.md); then start again.';

/** PostgreSQL does not start with less, bytes: a piece of its log of changes. */
const leastBytes = 16 * 1024 * 1024;

/** Whether the disk of a folder is read-only, or has no room for the start of a system. */
function refusesFiles(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < leastBytes;
  } catch (error) {
    return isDiskRefusal(error);
  }
}
