import type { Schemas } from '@vantage/client';

/** A watched interface as the newest check with an answer found it. */
export interface Port {
  readonly name: string;
  readonly alias: string;
  /** `Up`, `Down`, `LowerLayerDown` … as the agent reports it. */
  readonly status: string;
  readonly index: number;
  /** bit/s; null: the device does not report it. */
  readonly speed: number | null;
  /** bit/s and 1/s; null: this check has no rate. */
  readonly inBits: number | null;
  readonly outBits: number | null;
  readonly errors: number | null;
  /** Of the busier direction, 0 to 1; null: not known. */
  readonly utilisation: number | null;
  /** It is not as the Options expect it. */
  readonly isUnmet: boolean;
}

/** The labels of the values of an interface. */
export const portLabels = {
  in: (name: string) => `${name} in bit/s`,
  out: (name: string) => `${name} out bit/s`,
  errors: (name: string) => `${name} errors/s`,
} as const;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

const isUp = (status: string) => status === 'Up' || status === 'Dormant';

/** The watched interfaces of a check, in the order of their indexes; none for a check of another kind. Pure. */
export function portsOf({
  Extended,
  Values,
}: Pick<Schemas['CheckExtended'], 'Extended' | 'Values'>): readonly Port[] {
  const rows = Array.isArray(Extended['Interfaces']) ? Extended['Interfaces'].filter(isRecord) : [];
  const values = new Map(Values.map(({ Label, Value }) => [Label, Value]));
  const ports = rows.map((row, at): Port => {
    const name = textOf(row['Name']);
    const status = textOf(row['Status']);
    const expected = textOf(row['Expect']) || 'Up';
    const [speed, inBits, outBits] = [
      numberOf(row['Speed']),
      values.get(portLabels.in(name)) ?? null,
      values.get(portLabels.out(name)) ?? null,
    ];
    return {
      name,
      alias: textOf(row['Alias']),
      status,
      index: numberOf(row['Index']) ?? Number.MAX_SAFE_INTEGER - rows.length + at,
      speed,
      inBits,
      outBits,
      errors: values.get(portLabels.errors(name)) ?? null,
      utilisation:
        speed === null || inBits === null || outBits === null
          ? null
          : Math.min(1, Math.max(inBits, outBits) / speed),
      isUnmet: expected === 'Up' ? !isUp(status) : expected === 'Down' && isUp(status),
    };
  });
  return ports.toSorted((a, b) => a.index - b.index);
}

/** `41 up, 1 down, 6 other`: the number of ports of each kind. Pure. */
export function portCounts(ports: readonly Port[]): {
  readonly up: number;
  readonly unmet: number;
  readonly other: number;
} {
  const unmet = ports.filter((port) => port.isUnmet).length;
  const up = ports.filter((port) => !port.isUnmet && isUp(port.status)).length;
  return { up, unmet, other: ports.length - unmet - up };
}

/** The end of a name that differs from that of its neighbours: `17` of `ge-0/0/17`. */
export function shortName(name: string): string {
  return /(\d+)$/.exec(name)?.[1] ?? name.slice(0, 4);
}
