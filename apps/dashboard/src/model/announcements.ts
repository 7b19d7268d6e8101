/** The minimum time between two announcements for screen readers, milliseconds. */
export const minBetweenMs = 10_000;

interface DownDevice {
  readonly id: string;
  readonly name: string;
}

/** The outages that were announced, and those that wait for the next sentence. */
export interface Announcements {
  /** The devices that are Down. Undefined at first: outages that exist when the page opens are not announced. */
  readonly down: ReadonlySet<string> | undefined;
  /** Names of devices by id, in the order in which their outages began. */
  readonly waiting: ReadonlyMap<string, string>;
  /** The time of the last sentence, milliseconds; undefined: none yet. */
  readonly lastAt: number | undefined;
}

/** A sentence that is due: the outages that began since the last one. */
export interface Announcement {
  /** Names of devices that are Down. */
  readonly down: readonly string[];
  /** Names of devices whose outage has already ended. */
  readonly over: readonly string[];
  /** The number of devices that are Down. */
  readonly total: number;
}

/** The state before the devices are known. */
export const noAnnouncements: Announcements = { down: undefined, waiting: new Map(), lastAt: undefined };

/**
 * The next state when the devices `down` are Down, and the sentence that is due now. Each outage is in exactly one
 * sentence. An outage that begins within `minBetweenMs` of the last sentence waits for the next one. `dueAt`: when to
 * call again at the latest; undefined: when the devices change. `nowMs` is monotonic. Pure.
 */
export function announce(
  before: Announcements,
  down: readonly DownDevice[],
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
