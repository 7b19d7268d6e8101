/** Messages by contact, kind and subject, each with its count: `hook device.down router` → 1. */
export type Counts = ReadonlyMap<string, number>;

/**
 * A device after the scene, as the scene caused it and as the API shows it. Seconds are of the time that the scene
 * watches.
 */
export interface DeviceOutcome {
  readonly name: string;
  readonly status: Compared<string>;
  readonly outages: Compared<number>;
  readonly downSeconds: Compared<number>;
  readonly maintenanceSeconds: Compared<number>;
  readonly unknownSeconds: Compared<number>;
  /** Up + Down + Maintenance + Unknown, and the length of the period. */
  readonly sumSeconds: Compared<number>;
}

/** The truth and the record. */
export interface Compared<T> {
  readonly expected: T;
  readonly got: T;
}

/**
 * How far seconds may lie from the truth: each outage begins and ends with the next check. `downSeconds` are those of
 * one outage.
 */
export interface Tolerance {
  readonly downSeconds: number;
  readonly unknownSeconds: number;
  readonly maintenanceSeconds: number;
}

/** One line for each message that is missing or was not expected. */
export function messageDifferences(expected: Counts, got: Counts): string[] {
  const names = [...new Set([...expected.keys(), ...got.keys()])].sort();
  return names.flatMap((name) => {
    const [wanted, sent] = [expected.get(name) ?? 0, got.get(name) ?? 0];
    return wanted === sent ? [] : [`${name}: ${wanted} expected, ${sent} sent`];
  });
}

/**
 * The differences without the messages of e-mails that a long group counts instead of naming them, where exactly so
 * many are missing.
 */
export function unlessCounted(differences: readonly string[], counted: number): readonly string[] {
  const isMissing = (line: string) => /^mail .*: 1 expected, 0 sent$/.test(line);
  return differences.filter(isMissing).length === counted
    ? differences.filter((line) => !isMissing(line))
    : differences;
}

const ends: Readonly<Record<string, readonly string[]>> = {
  'device.up': ['device.down', 'device.flapping'],
  'location.online': ['location.offline'],
  'anchor.up': ['anchor.down'],
};

/**
 * One line for each end (`device.up web`) in a contact's messages that does not follow its begin. Messages are in the
 * order of arrival.
 */
export function sequenceDifferences(contact: string, messages: readonly string[]): string[] {
  const latest = new Map<string, string>();
  return messages.flatMap((message) => {
    const [type = '', about = ''] = message.split(' ');
    const begin = ends[type];
    const before = latest.get(about);
    latest.set(about, type);
    return begin === undefined || (before !== undefined && begin.includes(before))
      ? []
      : [`${contact}: ${message} arrived after ${before ?? 'nothing'}`];
  });
}

/** One line for each fact of a device that differs from what the scene did. */
export function deviceDifferences(device: DeviceOutcome, tolerance: Tolerance): string[] {
  const { name, status, outages, downSeconds, maintenanceSeconds, unknownSeconds, sumSeconds } = device;
  return [
    ...exact(`${name}: Status`, status),
    ...exact(`${name}: outages`, outages),
    ...near(
      `${name}: seconds down`,
      downSeconds,
      downSeconds.expected === 0 ? 0 : tolerance.downSeconds * Math.max(1, outages.expected),
    ),
    ...near(
      `${name}: seconds in maintenance`,
      maintenanceSeconds,
      maintenanceSeconds.expected === 0 ? 0 : tolerance.maintenanceSeconds,
    ),
    ...near(
      `${name}: seconds unknown`,
      unknownSeconds,
      unknownSeconds.expected === 0 ? 0 : tolerance.unknownSeconds,
    ),
    ...exact(`${name}: sum of the seconds`, sumSeconds),
  ];
}

function exact<T>(what: string, { expected, got }: Compared<T>): string[] {
  return expected === got ? [] : [`${what}: ${String(expected)} expected, ${String(got)} recorded`];
}

function near(what: string, { expected, got }: Compared<number>, most: number): string[] {
  if (Math.abs(expected - got) <= most) return [];
  return [`${what}: ${expected.toFixed(1)} expected (± ${most.toFixed(1)}), ${got} recorded`];
}
