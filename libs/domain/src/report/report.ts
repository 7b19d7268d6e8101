import { type SpanSeconds, type Uptime, uptimeOf } from './uptime-statement.ts';

/** The uptime of a device over the span, as `GET /uptime` serves it. */
export interface UptimeRow {
  readonly device_id: string;
  readonly ShortName: string;
  readonly FullName: string | null;
  readonly Uptime: {
    readonly UpSeconds: number;
    readonly DownSeconds: number;
    readonly MaintenanceSeconds: number;
    readonly UnknownSeconds: number;
    readonly ExcludedSeconds: number;
    readonly Outages: number;
    readonly ExcludedOutages: number;
  };
}

/** An outage that overlaps the span, as `GET /outages` serves it. */
export interface Outage {
  readonly outage_id: string;
  readonly device_id: string;
  readonly ShortName: string;
  readonly FullName: string | null;
  /** Timestamps in the account's zone. */
  readonly Start: string;
  /** null: it is open. */
  readonly End: string | null;
  readonly Seconds: number;
  readonly CheckResult: string | null;
  readonly Note: string | null;
  readonly Excluded: boolean;
  readonly Behind: number;
}

/** The seconds of each status, and the outages, of one device or the sum of several. */
export interface Figures extends SpanSeconds {
  readonly outages: number;
  readonly excludedOutages: number;
}

interface Budget {
  readonly isKept: boolean;
  /** Seconds that may still be Down; negative: the objective was missed by this time. */
  readonly left: number;
}

/** A device or a group of them, with its figures. */
export interface Line {
  readonly key: string;
  readonly name: string;
  /** Ids of its devices. */
  readonly devices: readonly string[];
  readonly figures: Figures;
  readonly uptime: Uptime;
  readonly budget: Budget | undefined;
}

export interface ReportFacts {
  readonly uptimes: readonly UptimeRow[];
  readonly outages: readonly Outage[];
  /** The tags of devices, by device_id. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
  /** The tag path that selected the devices; '': all tags. Groups are the levels below it. */
  readonly base: string;
  /** Thousandths of a percent: 99,900 is 99.9 %. undefined: no objective. */
  readonly objective: number | undefined;
  /** Future seconds of the span. */
  readonly restSeconds: number;
}

/** The figures in total, by group and by device, worst first; and the outages, longest first. */
export interface Report {
  readonly total: Line;
  readonly groups: readonly Line[];
  readonly devices: readonly Line[];
  readonly outages: readonly Outage[];
  readonly excluded: readonly Outage[];
  /** The number of devices that meet the objective. */
  readonly kept: number;
  /** The number of devices with a percentage; of the others too little was observed. */
  readonly judged: number;
}

const nothing: Figures = {
  up: 0,
  down: 0,
  maintenance: 0,
  unknown: 0,
  excluded: 0,
  outages: 0,
  excludedOutages: 0,
};

function figuresOf({ Uptime }: UptimeRow): Figures {
  return {
    up: Uptime.UpSeconds,
    down: Uptime.DownSeconds,
    maintenance: Uptime.MaintenanceSeconds,
    unknown: Uptime.UnknownSeconds,
    excluded: Uptime.ExcludedSeconds,
    outages: Uptime.Outages,
    excludedOutages: Uptime.ExcludedOutages,
  };
}

function plus(a: Figures, b: Figures): Figures {
  return {
    up: a.up + b.up,
    down: a.down + b.down,
    maintenance: a.maintenance + b.maintenance,
    unknown: a.unknown + b.unknown,
    excluded: a.excluded + b.excluded,
    outages: a.outages + b.outages,
    excludedOutages: a.excludedOutages + b.excludedOutages,
  };
}

const whole = 100_000;

/** Reads an objective in percent (`99.9`) as thousandths; undefined for other texts. */
export function parseObjective(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(text)) return undefined;
  const thousandths = Math.round(Number(text) * 1_000);
  return thousandths > 0 && thousandths <= whole ? thousandths : undefined;
}

/** The budget of figures; the future part counts as observed. Products of integers decide, so nothing is rounded. */
function budgetOf({ up, down }: Figures, objective: number, restSeconds: number): Budget {
  const share = (up + down + restSeconds) * (whole - objective);
  return { isKept: down * whole <= share, left: Math.floor(share / whole) - down };
}

/** The level below `base` to which a tag belongs. */
export function levelBelow(tag: string, base: string): string | undefined {
  const within = base === '' ? tag : tag.slice(base.length + 1);
  const isWithin = base === '' || tag.toLowerCase().startsWith(`${base.toLowerCase()}/`);
  if (tag.toLowerCase() === base.toLowerCase()) return tag;
  if (!isWithin) return undefined;
  const [first = ''] = within.split('/');
  return base === '' ? first : `${tag.slice(0, base.length)}/${first}`;
}

/** Worst first: the lowest percentage, then the longest time Down; lines without a percentage come last. */
export function compareLines(a: Line, b: Line): number {
  return (
    (a.uptime.percent ?? 101) - (b.uptime.percent ?? 101) ||
    b.figures.down - a.figures.down ||
    Number(a.name === '') - Number(b.name === '') ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

/** Computes a report. Every figure is a sum of figures that the API serves for single devices. */
export function reportOf(facts: ReportFacts): Report {
  const { uptimes, objective, restSeconds, tags, base } = facts;
  const lineOf = (key: string, name: string, rows: readonly UptimeRow[]): Line => {
    const figures = rows.map(figuresOf).reduce(plus, nothing);
    return {
      key,
      name,
      devices: rows.map(({ device_id }) => device_id),
      figures,
      uptime: uptimeOf(figures),
      budget: objective === undefined ? undefined : budgetOf(figures, objective, restSeconds * rows.length),
    };
  };
  const groups = new Map<string, UptimeRow[]>();
  for (const row of uptimes) {
    const levels = (tags.get(row.device_id) ?? []).map((tag) => levelBelow(tag, base));
    const found = new Set(levels.filter((level) => level !== undefined));
    for (const level of found.size === 0 ? [''] : found) {
      const rows = groups.get(level) ?? [];
      rows.push(row);
      groups.set(level, rows);
    }
  }
  const devices = uptimes
    .map((row) => lineOf(row.device_id, row.FullName ?? row.ShortName, [row]))
    .sort(compareLines);
  const judged = devices.filter(({ uptime }) => uptime.percent !== null);
  const byLength = [...facts.outages].sort((a, b) => b.Seconds - a.Seconds || (a.Start < b.Start ? -1 : 1));
  return {
    total: lineOf('', '', uptimes),
    groups: [...groups].map(([level, rows]) => lineOf(level, level, rows)).sort(compareLines),
    devices,
    outages: byLength.filter(({ Excluded }) => !Excluded),
    excluded: byLength.filter(({ Excluded }) => Excluded),
    kept: judged.filter(({ budget }) => budget?.isKept === true).length,
    judged: judged.length,
  };
}
