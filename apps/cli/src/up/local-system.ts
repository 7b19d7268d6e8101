import { accessSync, constants, statfsSync } from 'node:fs';
import path from 'node:path';
import { Fault, isDiskRefusal, type KeptFiles } from '@vantage/kernel';
import type { SystemPart } from '../program-part.ts';
import { pingFaultMessage, progressMessage, type Ready, readyMessage } from './controller-messages.ts';
import type { DataLock } from './data-lock.ts';
import { type ProcessId, sendSignal } from './process-id.ts';
import type { Provision } from './provision-system.ts';
import { type QuickstartFile, quickstartOf, writeQuickstart } from './quickstart.ts';
import { type ChildEvents, type SupervisedPart, supervise } from './supervise-part.ts';

/** The processes of a system on this machine. */
export interface LocalSystem {
  /** Starts a part and restarts it when it dies. A death before the system serves is reported to `onFailure`. */
  start(part: SystemPart, environment: () => NodeJS.ProcessEnv): void;
  /** The message of the controller once it serves. */
  ready(): Ready | undefined;
  /**
   * Writes quickstart.json, now and after each restart of a part, and returns its content; undefined while a part does
   * not run. From the first call on the system serves.
   */
  publish(credentials: Provision): QuickstartFile | undefined;
  processes(): readonly ProcessId[];
  /** Requests the parts to end. They are not restarted. */
  end(): void;
  kill(): void;
}

/** `say` prints a line for the operator. */
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
}): LocalSystem {
  const parts = new Map<SystemPart, SupervisedPart>();
  let ready: Ready | undefined;
  let credentials: Provision | undefined;
  let isWaitingForRoom = false;

  const processes = () => [...parts.values()].map((part) => part.current()).filter((id) => id !== undefined);
  const describe = (): QuickstartFile | undefined => {
    const [controller, agent] = [parts.get('controller')?.current(), parts.get('agent')?.current()];
    if (!ready || !credentials || !controller || !agent) return undefined;
    const quickstart = quickstartOf(ready, credentials, { controller: controller.pid, agent: agent.pid });
    writeQuickstart(files, dataDir, quickstart);
    return quickstart;
  };
  const eventsOf = (part: SystemPart): ChildEvents => ({
    onStart() {
      // `parts` has the part only after `supervise` has returned.
      setImmediate(() => {
        lock.children(processes());
        describe();
      });
    },
    onMessage(message) {
      const served = readyMessage.safeParse(message);
      if (part === 'controller' && served.success) {
        ready = served.data;
        // After "database copy" the database is another one.
        describe();
      }
      const pingFault = pingFaultMessage.safeParse(message);
      if (pingFault.success)
        say(`checks by PING do not work for this user: ${pingFault.data.text}. ${pingRemedy}`);
      const step = progressMessage.safeParse(message);
      if (step.success && !credentials) say(step.data.text);
    },
    onDeath({ how, errors, restartInMs }) {
      if (credentials)
        say(
          `the ${part} ended (${how}), restarting it in ${(restartInMs / 1000).toFixed(1)} s; see log/${part}.log`,
        );
      else if (!refusesFiles(dataDir))
        onFailure(new Fault('stop', 'first_start', `the ${part} did not start (${how}):\n${errors}`));
      else if (!isWaitingForRoom) {
        isWaitingForRoom = true;
        say(
          `the ${part} did not start (${how}), because the disk of ${dataDir} has no room or is read-only; it is restarted until it works:\n${errors}`,
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
    publish(provision) {
      credentials = provision;
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

export const pingRemedy =
  'As root: sysctl -w net.ipv4.ping_group_range="0 2147483647" (docs/icmp.md); then start again.';

/** PostgreSQL cannot start with less: the size of a WAL segment. */
const minFreeBytes = 16 * 1024 * 1024;

/** Whether the disk of a folder is read-only, or too full for the start of a system. */
function refusesFiles(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < minFreeBytes;
  } catch (error) {
    return isDiskRefusal(error);
  }
}
