/** The least time between two sentences that are read aloud, milliseconds. */
export const minBetweenMs = 10_000;

/** A device that is Down. */
interface Down {
  readonly id: string;
  readonly name: string;
}

/** Outages that were announced, and those that wait for their sentence. */
export interface Announcements {
  /** The devices that are Down. Undefined: nothing is known yet, so what is Down first is no news. */
  readonly down: ReadonlySet<string> | undefined;
  /** Names of devices by id, in the order in which their outages began. */
  readonly waiting: ReadonlyMap<string, string>;
  /** The time of the last sentence, milliseconds; undefined: there was none. */
  readonly lastAt: number | undefined;
}

/** A sentence that is due: the outages that began since the last one. */
export interface Announcement {
  /** Names of devices that are Down. */
  readonly down: readonly string[];
  /** Names of devices whose outage has ended already. */
  readonly over: readonly string[];
  /** The number of devices that are Down. */
  readonly total: number;
}

/** Before anything is known. */
export const noAnnouncements: Announcements = { down: undefined, waiting: new Map(), lastAt: undefined };

/**
 * The next state when these devices are Down, and the sentence that is due by then. Each outage is in one sentence; an
 * outage that begins within `minBetweenMs` of the last sentence waits for the next one. `dueAt` is when to call again
 * at the latest, undefined: when the devices change. `nowMs` never runs backwards. Pure.
 */
export function announce(
  before: Announcements,
  down: readonly Down[],
  nowMs: number,
): {
  readonly next: Announcements;
  readonly due: Announcement | undefined;
  readonly dueAt: number | undefined;
} {
  const ids = new Set(down.map(({ id }) => id));
  const fresh = down.filter(({ id }) => before.down !== undefined && !before.down.has(id));
  const waiting = new Map([...before.waiting, ...fresh.map(({ id, name }) => [id, name] as const)]);
  const next = { down: ids, waiting, lastAt: before.lastAt };
  if (waiting.size === 0) return { next, due: undefined, dueAt: undefined };
  const dueAt = (before.lastAt ?? Number.NEGATIVE_INFINITY) + minBetweenMs;
  if (nowMs < dueAt) return { next, due: undefined, dueAt };
  const names = (isDown: boolean) =>
    [...waiting].filter(([id]) => ids.has(id) === isDown).map(([, name]) => name);
  return {
    next: { ...next, waiting: new Map(), lastAt: nowMs },
    due: { down: names(true), over: names(false), total: ids.size },
    dueAt: undefined,
  };
}
