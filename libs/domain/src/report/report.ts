/** The uptime of a device over the span, as `GET /uptime` says it. */
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

/** An outage that touches the span, as `GET /outages` says it. */
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

/** Seconds of each state, and outages, of one device or of several together. */
export interface Figures {
  readonly up: number;
  readonly down: number;
  readonly maintenance: number;
  readonly unknown: number;
  readonly excluded: number;
  readonly outages: number;
  readonly excludedOutages: number;
}

/** Whether an objective is kept, and the seconds that may still be Down; negative: too many were. */
interface Budget {
  readonly isKept: boolean;
  readonly left: number;
}

/** A device or a group of them, with its figures. */
export interface Line {
  readonly key: string;
  readonly name: string;
  /** Ids of its devices. */
  readonly devices: readonly string[];
  readonly figures: Figures;
  /** Up / (Up + Down) in percent; null: it was never observed outside maintenance. */
  readonly percent: number | null;
  readonly budget: Budget | undefined;
}

/** The facts from which a report is made. */
export interface ReportFacts {
  readonly uptimes: readonly UptimeRow[];
  readonly outages: readonly Outage[];
  /** The tags of devices, by their ids. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
  /** The tag path that chose the devices; '': all tags. Groups are the levels below it. */
  readonly base: string;
  /** Thousandths of a percent: 99,900 is 99.9 %. undefined: no objective. */
  readonly objective: number | undefined;
  /** Seconds of the span that are still to come. */
  readonly restSeconds: number;
}

/** A report: figures in sum, by group and by device, each worst first, and the outages, the longest first. */
export interface Report {
  readonly total: Line;
  readonly groups: readonly Line[];
  readonly devices: readonly Line[];
  readonly outages: readonly Outage[];
  readonly excluded: readonly Outage[];
  /** How many devices keep the objective, and how many of them were observed. */
  readonly kept: number;
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

/** Up / (Up + Down) in percent; null where nothing was observed. It is 100 only where nothing was Down. */
export function percentOf({ up, down }: Pick<Figures, 'up' | 'down'>): number | null {
  if (up + down === 0) return null;
  return down === 0 ? 100 : Math.min((up / (up + down)) * 100, 99.999999);
}

const whole = 100_000;

/** Reads an objective in percent, as 99.9; undefined: it is none. */
export function parseObjective(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(text)) return undefined;
  const thousandths = Math.round(Number(text) * 1_000);
  return thousandths > 0 && thousandths <= whole ? thousandths : undefined;
}

/** The budget of figures; what is still to come counts as observed. Products of whole numbers decide it. */
function budgetOf({ up, down }: Figures, objective: number, restSeconds: number): Budget {
  const share = (up + down + restSeconds) * (whole - objective);
  return { isKept: down * whole <= share, left: Math.floor(share / whole) - down };
}

/** The level below `base` to which a tag belongs; undefined: to none. */
export function levelBelow(tag: string, base: string): string | undefined {
  const within = base === '' ? tag : tag.slice(base.length + 1);
  const isWithin = base === '' || tag.toLowerCase().startsWith(`${base.toLowerCase()}/`);
  if (tag.toLowerCase() === base.toLowerCase()) return tag;
  if (!isWithin) return undefined;
  const [first = ''] = within.split('/');
  return base === '' ? first : `${tag.slice(0, base.length)}/${first}`;
}

/** Worst first: the lowest percentage, then the longest time Down; what was never observed comes last. */
export function compareLines(a: Line, b: Line): number {
  return (
    (a.percent ?? 101) - (b.percent ?? 101) ||
    b.figures.down - a.figures.down ||
    Number(a.name === '') - Number(b.name === '') ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

/** Works out a report. Every figure is a sum of figures that the API tells of single devices. */
export function reportOf(facts: ReportFacts): Report {
  const { uptimes, objective, restSeconds, tags, base } = facts;
  const lineOf = (key: string, name: string, rows: readonly UptimeRow[]): Line => {
    const figures = rows.map(figuresOf).reduce(plus, nothing);
    return {
      key,
      name,
      devices: rows.map(({ device_id }) => device_id),
      figures,
      percent: percentOf(figures),
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
  const judged = devices.filter(({ percent }) => percent !== null);
  const longest = [...facts.outages].sort((a, b) => b.Seconds - a.Seconds || (a.Start < b.Start ? -1 : 1));
  return {
    total: lineOf('', '', uptimes),
    groups: [...groups].map(([level, rows]) => lineOf(level, level, rows)).sort(compareLines),
    devices,
    outages: longest.filter(({ Excluded }) => !Excluded),
    excluded: longest.filter(({ Excluded }) => Excluded),
    kept: judged.filter(({ budget }) => budget?.isKept === true).length,
    judged: judged.length,
  };
}
