import path from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Clock, messageOf } from '@vantage/kernel';
import { type Assignment, type Assignments, AssignmentsSchema } from '@vantage/proto';
import { ensureFolder, readWithChecksum, writeWithChecksum } from './disk.ts';

/** The agent's assignments on disk, so that it works without a controller. */
export interface AssignmentStore extends AsyncDisposable {
  /** All of them, by device. */
  readonly all: ReadonlyMap<number, Assignment>;
  /** Applies a change or a part of a snapshot and returns the work for the scheduler. A snapshot applies once it is complete. */
  apply(message: Assignments): AssignmentChange;
  /** The stream ended: a snapshot that was not complete is forgotten. */
  forgetPartial(): void;
  /** Drops all assignments, on disk too: the agent may not run checks any more. */
  forget(): void;
  /** Resolves when all assignments are on disk, or could not be written. */
  flushed(): Promise<void>;
}

/** The work that a message means for the scheduler. */
type AssignmentChange =
  | { readonly kind: 'wait' }
  | { readonly kind: 'replace'; readonly assignments: readonly Assignment[] }
  | {
      readonly kind: 'change';
      readonly upserts: readonly Assignment[];
      readonly removedDeviceNos: readonly number[];
    };

/** Changes are gathered this long before they are written. */
const writeAfterMs = 500;

/** Opens the store. In place of a torn or damaged file it reads the previous version, if there is one. */
export async function openAssignments(deps: {
  readonly folder: string;
  readonly clock: Clock;
  readonly onFault: (text: string) => void;
}): Promise<AssignmentStore> {
  const { clock, onFault } = deps;
  const file = path.join(deps.folder, 'assignments.bin');
  const all = new Map<number, Assignment>();
  for (const assignment of await load(file, deps.folder, onFault)) all.set(assignment.deviceNo, assignment);
  let parts: Assignment[] | undefined;
  let timer: Disposable | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    writing = writing.then(async () => {
      const snapshot = create(AssignmentsSchema, {
        snapshot: true,
        final: true,
        upserts: [...all.values()],
      });
      await writeWithChecksum(file, toBinary(AssignmentsSchema, snapshot)).catch((error: unknown) =>
        onFault(`assignments cannot be stored: ${messageOf(error)}`),
      );
    });
  };
  const changed = () => {
    timer ??= clock.timer(writeAfterMs, write);
  };

  return {
    all,
    apply(message) {
      if (message.snapshot) {
        parts = [...(parts ?? []), ...message.upserts];
        if (!message.final) return { kind: 'wait' };
        const assignments = parts;
        parts = undefined;
        all.clear();
        for (const assignment of assignments) all.set(assignment.deviceNo, assignment);
        changed();
        return { kind: 'replace', assignments: [...all.values()] };
      }
      for (const deviceNo of message.removedDeviceNos) all.delete(deviceNo);
      for (const assignment of message.upserts) all.set(assignment.deviceNo, assignment);
      changed();
      return { kind: 'change', upserts: message.upserts, removedDeviceNos: message.removedDeviceNos };
    },
    forgetPartial() {
      parts = undefined;
    },
    forget() {
      parts = undefined;
      all.clear();
      changed();
    },
    async flushed() {
      if (timer !== undefined) write();
      await writing;
    },
    async [Symbol.asyncDispose]() {
      if (timer !== undefined) write();
      await writing;
    },
  };
}

async function load(
  file: string,
  folder: string,
  onFault: (text: string) => void,
): Promise<readonly Assignment[]> {
  try {
    await ensureFolder(folder);
    const { content, isDamaged } = await readWithChecksum(file);
    if (isDamaged) onFault('the stored assignments are damaged; their previous version is used');
    return content === undefined ? [] : fromBinary(AssignmentsSchema, content).upserts;
  } catch (error) {
    onFault(`the stored assignments cannot be read: ${messageOf(error)}`);
    return [];
  }
}
