import { minuteUs } from '@vantage/domain';

/** An interface that a check reports and that is expected to be up. */
export interface ReportedInterface {
  /** The name, alias or index by which it is watched. Its name may change. */
  readonly key: string;
  readonly name: string;
  readonly alias: string | null;
  /** `neither`: it is tested, or the device does not know its status. */
  readonly status: 'up' | 'down' | 'missing' | 'neither';
}

/** The state of an interface between checks. One that is up, and was not down lately, has none. Plain JSON. */
export interface InterfaceState {
  readonly key: string;
  readonly name: string;
  readonly alias: string | null;
  readonly isDown: boolean;
  /** Consecutive reports that contradict the present state. */
  readonly inRow: number;
  /**
   * When it went down, microseconds since 1970: the last times within `flapWindowUs` of each other, the oldest first.
   */
  readonly downsUs: readonly number[];
}

/** A change of an interface. */
export interface InterfaceChange {
  readonly kind: 'down' | 'up' | 'unwatched';
  readonly key: string;
  readonly name: string;
  readonly alias: string | null;
  /** When it went down. */
  readonly sinceUs: number;
  /** How often it went down lately, this time included. */
  readonly downs: number;
  /** When it first went down of these times. */
  readonly firstUs: number;
  readonly isMissing: boolean;
}

/** An interface that goes down this often within `flapWindowUs` flaps. */
const flapAfter = 3;
const flapWindowUs = 30 * minuteUs;
/** A flapping interface is up again after this number of consecutive reports. */
const steadyAfter = 5;
/** A device that starts may have incomplete tables, so an interface is missing after this number of reports. */
const missingAfter = 2;

/*
 *   state              | report                              | next
 *   up                 | up                                  | up; downs are forgotten after 30 minutes
 *   up                 | down, or missing for the second time| down, event InterfaceDown
 *   up                 | missing for the first time          | counted
 *   down               | down, missing                       | down, none in a row
 *   down, not flapping | up                                  | up, event InterfaceUp
 *   down, flapping     | up                                  | one more in a row; the fifth one: up, event InterfaceUp
 *   any                | neither                             | unchanged
 *   down               | no longer reported                  | forgotten, event InterfaceUp (no longer watched)
 *   up                 | no longer reported                  | forgotten
 *
 * A check without an answer reports nothing at all, so it is not a step. The third time down within 30 minutes is
 * flapping, until the interface is up again.
 */

/** The states after a check at `atUs` that reports these interfaces, and the changes. Pure. */
export function stepInterfaces(
  before: readonly InterfaceState[],
  reports: readonly ReportedInterface[],
  atUs: number,
): { readonly after: readonly InterfaceState[]; readonly changes: readonly InterfaceChange[] } {
  const known = new Map(before.map((state) => [state.key, state]));
  const reported = new Map(reports.map((report) => [report.key, report]));
  const changes: InterfaceChange[] = [];
  const after: InterfaceState[] = [];
  for (const state of before)
    if (state.isDown && !reported.has(state.key)) changes.push(changeOf('unwatched', state, false));
  for (const report of reported.values()) {
    const state = known.get(report.key) ?? null;
    const next = stepInterface(state, report, atUs);
    if (next.state !== null) after.push(next.state);
    if (next.change !== null) changes.push(next.change);
  }
  const isSame = after.length === before.length && after.every((state, at) => state === before[at]);
  return { after: isSame ? before : after, changes };
}

function stepInterface(
  before: InterfaceState | null,
  { key, name, alias, status }: ReportedInterface,
  atUs: number,
): { readonly state: InterfaceState | null; readonly change: InterfaceChange | null } {
  if (status === 'neither') return { state: before, change: null };
  const state = before ?? { key, name, alias, isDown: false, inRow: 0, downsUs: [] };
  // A missing interface has neither name nor alias; the last ones that were reported name it.
  const named = { key, name: status === 'missing' ? state.name : name, alias: alias ?? state.alias };
  if (status === 'up')
    return state.isDown
      ? upAfterDown({ ...state, ...named })
      : { state: stillUp(before, atUs), change: null };
  if (state.isDown) return { state: state.inRow === 0 ? state : { ...state, inRow: 0 }, change: null };
  if (status === 'missing' && state.inRow + 1 < missingAfter)
    return { state: { ...state, inRow: state.inRow + 1 }, change: null };
  const downsUs = [...state.downsUs.filter((us) => us > atUs - flapWindowUs), atUs].slice(-flapAfter);
  const down = { ...named, isDown: true, inRow: 0, downsUs };
  return { state: down, change: changeOf('down', down, status === 'missing') };
}

function upAfterDown(state: InterfaceState): {
  readonly state: InterfaceState;
  readonly change: InterfaceChange | null;
} {
  const inRow = state.inRow + 1;
  if (state.downsUs.length >= flapAfter && inRow < steadyAfter)
    return { state: { ...state, inRow }, change: null };
  const up = { ...state, isDown: false, inRow: 0 };
  return { state: up, change: changeOf('up', up, false) };
}

/** An interface that was down lately is remembered, because the next times count together. */
function stillUp(before: InterfaceState | null, atUs: number): InterfaceState | null {
  const last = before?.downsUs.at(-1);
  if (before === null || last === undefined || last <= atUs - flapWindowUs) return null;
  return before.inRow === 0 ? before : { ...before, inRow: 0 };
}

function changeOf(
  kind: InterfaceChange['kind'],
  { key, name, alias, downsUs }: InterfaceState,
  isMissing: boolean,
): InterfaceChange {
  const [firstUs = 0] = downsUs;
  return { kind, key, name, alias, sinceUs: downsUs.at(-1) ?? 0, downs: downsUs.length, firstUs, isMissing };
}
