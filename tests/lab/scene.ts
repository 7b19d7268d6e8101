import { setTimeout as delay } from 'node:timers/promises';
import type { Counts } from './judge.ts';
import { type LabFixture, type LabFixtureOptions, siteNames, until } from './lab-fixture.ts';
import { statuses } from './rest.ts';

/** The expectations of a scene after its end. */
export interface Expected {
  /** The messages of both contacts by kind and subject (`device.down router` → 1); each contact gets the same. */
  readonly messages: Counts;
  /** Where the contacts must get different messages: those of the e-mail contact. */
  readonly mails?: Counts;
  /** The messages of contacts that the scene made itself, by contact, kind and subject; default none. */
  readonly others?: Counts;
  /**
   * Devices that the scene paused or deleted, or whose schedule it took away: what other programs show of them ends
   * without an Up.
   */
  readonly released?: ReadonlySet<string>;
  /** Devices that the scene deleted. */
  readonly deleted?: ReadonlySet<string>;
  /** The Status of devices at the end; default Up. */
  readonly statuses?: ReadonlyMap<string, string>;
  /** A program died between sending and recording, so a message may arrive twice under its id; default false. */
  readonly mayRepeat?: boolean;
  /** Figures for the reader. */
  readonly facts?: Readonly<Record<string, string | number>>;
  /** The faults that the scene itself found. */
  readonly differences?: readonly string[];
}

/** A scene of the lab. */
export interface Scene {
  /** Its purpose, in one sentence. */
  readonly shows: string;
  readonly fixture: LabFixtureOptions;
  /** The time at which all programs of the scene believe to start, with its offset; absent: the real time. */
  readonly startsAt?: string;
  /** It has contacts of its own, so it is not played in shadow. */
  readonly isPlainOnly?: boolean;
  /** The scene is ended this long after its installation should have started; default 240 s. */
  readonly limitSeconds?: number;
  play(fixture: LabFixture): Promise<Expected>;
}

/**
 * The time in which every Status must have followed a deed: detection, the retries and a good margin for a busy
 * machine.
 */
const settleMs = 60_000;

/**
 * Waits until each named device shows this Status. Resolves with one sentence for each device that does not within a
 * minute.
 */
export async function expectStatus(
  fixture: LabFixture,
  wanted: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  let all: ReadonlyMap<string, string> = new Map();
  const missing = () => [...wanted].filter(([name, status]) => all.get(name) !== status);
  await until(async () => {
    all = await statuses(fixture.api);
    return missing().length === 0;
  }, settleMs);
  const rest = missing().map(([name, status]) => `${name} shows ${all.get(name)} instead of ${status}`);
  fixture.note(rest.length === 0 ? `as expected: ${summary(wanted)}` : rest.join('; '));
  return rest;
}

function summary(wanted: ReadonlyMap<string, string>): string {
  const groups = Map.groupBy(wanted, ([, status]) => status);
  return [...groups].map(([status, names]) => `${names.length} ${status}`).join(', ');
}

/** The same Status for several devices. */
export function allAre(status: string, names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...names].map((name) => [name, status]));
}

/** Every device of the fixture. */
export const everyName: readonly string[] = ['router', 'web', ...siteNames];

/** One message of each kind for each name. */
export function once(types: readonly string[], names: readonly string[]): [string, number][] {
  return names.flatMap((name) => types.map((type): [string, number] => [`${type} ${name}`, 1]));
}

/** Lets some check intervals pass. */
export function intervals(fixture: LabFixture, count: number): Promise<void> {
  return delay(count * fixture.intervalMs);
}

/** A device at the site stops answering by itself, or answers again. */
export function stopDevice(fixture: LabFixture, device: number): void {
  fixture.targets.stop(device);
  fixture.truth.begin(`dev-${device}`, 'down', 'self');
}

export function startDevice(fixture: LabFixture, device: number): void {
  fixture.targets.start(device);
  fixture.truth.end(`dev-${device}`, 'down', 'self');
}
