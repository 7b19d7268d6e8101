import path from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Clock, declareState, messageOf } from '@vantage/kernel';
import { type Anchor, type Assignment, type Assignments, AssignmentsSchema } from '@vantage/proto';
import { eraseWithChecksum, readWithChecksum, writeWithChecksum } from './checksummed-file.ts';
import { ensureFolder } from './disk.ts';
import { createFaultReporter } from './fault-reporter.ts';

/** The agent's assignments and the anchors of its Location on disk, so that it works without a controller. */
export interface AssignmentStore extends AsyncDisposable {
  /** All assignments, by device. */
  readonly all: ReadonlyMap<number, Assignment>;
  /** Near to far. */
  readonly anchors: readonly Anchor[];
  /**
   * Applies a change, or a part of a snapshot, and returns the work for the scheduler. A snapshot applies once it is
   * complete.
   */
  apply(message: Assignments): AssignmentChange;
  /** The stream ended: drops an incomplete snapshot. */
  forgetPartial(): void;
  /** Drops all assignments, including their previous version on disk, because the agent may no longer run checks. */
  forget(): void;
  /** Resolves when all assignments are on disk or the write has failed. */
  flushed(): Promise<void>;
}

/** The work for the scheduler that follows from a message. */
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

/** Delay before a failed write is repeated. */
const retryAfterMs = 5_000;

const tracked = declareState({
  name: 'assignments',
  entries: { each: 'device' },
  entryBytes: 131_072,
  filledBy: 'the controller',
  atBound: 'the limits of devices and of their Options',
});

/** Opens the store. If the file is torn or damaged, the previous version is read, if there is one. */
export async function openAssignments(deps: {
  readonly folder: string;
  readonly clock: Clock;
  readonly onFault: (text: string) => void;
}): Promise<AssignmentStore> {
  const { clock, onFault } = deps;
  const file = path.join(deps.folder, 'assignments.bin');
  const all = tracked(new Map<number, Assignment>());
  const stored = await load(file, deps.folder, onFault);
  for (const assignment of stored?.upserts ?? []) all.set(assignment.deviceNo, assignment);
  let anchors = stored?.anchors?.anchors ?? [];
  let parts: { readonly assignments: readonly Assignment[]; readonly anchors: typeof anchors } | undefined;
  let timer: Disposable | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;
  /** No file may keep the earlier content. */
  let mustErase = false;
  const faults = createFaultReporter((text) => onFault(`assignments cannot be stored: ${text}`));

  const write = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    writing = writing.then(async () => {
      const erases = mustErase;
      mustErase = false;
      const snapshot = create(AssignmentsSchema, {
        snapshot: true,
        final: true,
        upserts: [...all.values()],
        anchors: { anchors },
      });
      try {
        if (erases) await eraseWithChecksum(file);
        await writeWithChecksum(file, toBinary(AssignmentsSchema, snapshot));
        faults.clear();
      } catch (error) {
        mustErase ||= erases;
        faults.report(error);
        if (!isClosed) timer ??= clock.timer(retryAfterMs, write);
      }
    });
  };
  const changed = () => {
    timer ??= clock.timer(writeAfterMs, write);
  };

  return {
    all,
    get anchors() {
      return anchors;
    },
    apply(message) {
      if (message.snapshot) {
        const snapshot = {
          assignments: [...(parts?.assignments ?? []), ...message.upserts],
          anchors: message.anchors?.anchors ?? parts?.anchors ?? [],
        };
        parts = message.final ? undefined : snapshot;
        if (!message.final) return { kind: 'wait' };
        all.clear();
        for (const assignment of snapshot.assignments) all.set(assignment.deviceNo, assignment);
        anchors = snapshot.anchors;
        changed();
        return { kind: 'replace', assignments: [...all.values()] };
      }
      for (const deviceNo of message.removedDeviceNos) all.delete(deviceNo);
      for (const assignment of message.upserts) all.set(assignment.deviceNo, assignment);
      anchors = message.anchors?.anchors ?? anchors;
      changed();
      return { kind: 'change', upserts: message.upserts, removedDeviceNos: message.removedDeviceNos };
    },
    forgetPartial() {
      parts = undefined;
    },
    forget() {
      parts = undefined;
      anchors = [];
      all.clear();
      mustErase = true;
      changed();
    },
    async flushed() {
      if (timer !== undefined) write();
      await writing;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      if (timer !== undefined) write();
      await writing;
    },
  };
}

async function load(
  file: string,
  folder: string,
  onFault: (text: string) => void,
): Promise<Assignments | undefined> {
  try {
    await ensureFolder(folder);
    const { content, isDamaged } = await readWithChecksum(file);
    if (isDamaged) onFault('the stored assignments are damaged; their previous version is used');
    return content === undefined ? undefined : fromBinary(AssignmentsSchema, content);
  } catch (error) {
    onFault(`the stored assignments cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}
