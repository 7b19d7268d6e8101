import { printable } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import { knownObject } from './known-objects.ts';
import { type Cell, readObjects, readTable, type SnmpSource, type TableRow } from './snmp-tables.ts';
import { numberOf, textOf } from './snmp-text.ts';

/** A known object of a device, as an entry of `Values` would read it. */
export interface OfferedValue {
  /** `hrProcessorLoad.1`, a Name of `Values`. */
  readonly Name: string;
  /** For people, each one once: `temperature inlet`. */
  readonly Label: string;
  readonly Unit: string;
  /** Now; null: the device does not know it. */
  readonly Value: number | null;
  readonly Group: string;
}

/** A table, or the scalars, of which each row is offered as a value. */
interface OfferedGroup {
  readonly name: string;
  /** Known objects without rows. */
  readonly scalars?: readonly { readonly name: string; readonly label: string }[];
  /** A known object with rows. */
  readonly rows?: {
    readonly name: string;
    /** The column of the object, whose rows are read. It ends with the first numbers of an index of several. */
    readonly column: string;
    /** Further columns, which name a row. */
    readonly columns: readonly string[];
    readonly describe: (row: TableRow, index: number) => { readonly label: string; readonly unit?: string };
    /** The part of the index before the last number. */
    readonly prefix?: string;
  };
}

const host = '1.3.6.1.2.1.25';
const storage = `${host}.2.3.1`;
const sensor = '1.3.6.1.2.1.99.1.1.1';
const entityName = '1.3.6.1.2.1.47.1.1.1.1.7';
const entityDescription = '1.3.6.1.2.1.47.1.1.1.1.2';
const supplies = '1.3.6.1.2.1.43.11.1.1';

/** EntitySensorDataType (RFC 3433), by number. */
const sensorUnits = ['', '', '', 'V', 'V', 'A', 'W', 'Hz', '°C', '%', 'rpm', 'm³/min', ''];
const sensorKinds = [
  'sensor',
  'sensor',
  'sensor',
  'voltage',
  'voltage',
  'current',
  'power',
  'frequency',
  'temperature',
  'humidity',
  'speed',
  'air flow',
  'sensor',
];

const groups: readonly OfferedGroup[] = [
  {
    name: 'Processors',
    rows: {
      name: 'hrProcessorLoad',
      column: `${host}.3.3.1.2`,
      columns: [],
      describe: (_, index) => ({ label: `CPU ${index}` }),
    },
  },
  {
    name: 'Memory and disks',
    rows: {
      name: 'hrStorageUsedPercent',
      column: `${storage}.6`,
      columns: [`${storage}.3`, `${storage}.5`],
      describe: (row, index) => ({ label: `used ${nameIn(row, `${storage}.3`) ?? index}` }),
    },
  },
  {
    name: 'Sensors',
    rows: {
      name: 'entPhySensorValue',
      column: `${sensor}.4`,
      columns: [`${sensor}.1`, `${sensor}.2`, `${sensor}.3`, entityName, entityDescription],
      describe: (row, index) => {
        const type = numberOf(row.get(`${sensor}.1`)?.value) ?? 0;
        const name = nameIn(row, entityName) ?? nameIn(row, entityDescription) ?? `${index}`;
        const kind = sensorKinds[type] ?? 'sensor';
        const isSaid = name.toLowerCase().includes(kind);
        return { label: isSaid ? name : `${kind} ${name}`, unit: sensorUnits[type] ?? '' };
      },
    },
  },
  {
    name: 'UPS',
    scalars: [
      { name: 'upsEstimatedChargeRemaining', label: 'battery charge' },
      { name: 'upsEstimatedMinutesRemaining', label: 'battery lasts' },
      { name: 'upsSecondsOnBattery', label: 'time on battery' },
      { name: 'upsBatteryTemperature', label: 'battery temperature' },
      { name: 'upsAlarmsPresent', label: 'alarms' },
    ],
  },
  {
    name: 'UPS',
    rows: {
      name: 'upsOutputPercentLoad',
      column: '1.3.6.1.2.1.33.1.4.4.1.5',
      columns: [],
      describe: (_, index) => ({ label: `load of output ${index}` }),
    },
  },
  {
    name: 'Supplies',
    rows: {
      name: 'prtMarkerSuppliesPercent',
      column: `${supplies}.9.1`,
      columns: [`${supplies}.6.1`, `${supplies}.8.1`],
      prefix: '1.',
      describe: (row, index) => ({ label: nameIn(row, `${supplies}.6.1`) ?? `supply ${index}` }),
    },
  },
  {
    name: 'System',
    scalars: [
      { name: 'sysUpTime', label: 'running for' },
      { name: 'hrSystemProcesses', label: 'processes' },
      { name: 'hrSystemNumUsers', label: 'users' },
    ],
  },
];

/** Further rows of a table are left out. */
const maxRowsOfGroup = 100;
const maxLabel = 100;

/**
 * Reads the values of known objects that the device has. Ends early where `isLate` says so, or where an answer is
 * missing; then `isComplete` is false.
 */
export async function readOfferedValues(
  source: SnmpSource,
  isLate: () => boolean,
): Promise<{ readonly values: readonly OfferedValue[]; readonly isComplete: boolean }> {
  const values: OfferedValue[] = [];
  let isComplete = true;
  for (const group of groups) {
    if (isLate()) return { values: withOwnLabels(values), isComplete: false };
    try {
      values.push(...(group.scalars ? await scalarsOf(source, group.name, group.scalars) : []));
      if (group.rows === undefined) continue;
      const rows = await rowsOf(source, group.name, group.rows);
      if (rows.length > maxRowsOfGroup) isComplete = false;
      values.push(...rows.slice(0, maxRowsOfGroup));
    } catch (error) {
      // A device may be unable to answer about one of its tables; the others are offered.
      if (!(error instanceof Failure)) throw error;
      isComplete = false;
    }
  }
  return { values: withOwnLabels(values), isComplete };
}

async function scalarsOf(
  source: SnmpSource,
  Group: string,
  scalars: NonNullable<OfferedGroup['scalars']>,
): Promise<readonly OfferedValue[]> {
  const objects = scalars.flatMap(({ name, label }) => {
    const known = knownObject(name);
    return known === undefined ? [] : [{ name, label, known }];
  });
  const cells = await readObjects(
    source,
    objects.map(({ known }) => known.oid),
  );
  return objects.flatMap(({ name, label, known }) => {
    const value = cells.get(known.oid)?.value;
    if (value === undefined) return [];
    return [{ Name: name, Label: label, Unit: known.unit, Value: scaled(known, value, []), Group }];
  });
}

async function rowsOf(
  source: SnmpSource,
  Group: string,
  { name, column, columns, describe, prefix = '' }: NonNullable<OfferedGroup['rows']>,
): Promise<readonly OfferedValue[]> {
  const values = await readTable(source, [column]);
  if (values.size === 0) return [];
  const described = columns.length === 0 ? undefined : await readTable(source, columns);
  return [...values].flatMap(([index, own]) => {
    const Name = `${name}.${prefix}${index}`;
    const known = knownObject(Name);
    const cell = own.get(column);
    if (known === undefined || cell === undefined) return [];
    const row: TableRow = new Map([...own, ...(described?.get(index) ?? [])]);
    const { label, unit = known.unit } = describe(row, index);
    const companions = known.companions.map((oid) => cellOf(row, oid)?.value).map(numberOf);
    return [{ Name, Label: label, Unit: unit, Value: scaled(known, cell.value, companions), Group }];
  });
}

/** The cell of an object in a row whose columns are its OID without the last number. */
function cellOf(row: TableRow, oid: string): Cell | undefined {
  return row.get(oid.slice(0, oid.lastIndexOf('.')));
}

function scaled(
  known: NonNullable<ReturnType<typeof knownObject>>,
  value: Cell['value'],
  companions: readonly (number | undefined)[],
): number | null {
  const number = numberOf(value);
  const result = number === undefined ? undefined : known.scale(number, companions);
  return result === undefined || !Number.isFinite(result) ? null : Number(result.toPrecision(12));
}

function nameIn(row: TableRow, column: string): string | undefined {
  const text = printable(textOf(row.get(column)?.value));
  return text === '' ? undefined : text.slice(0, maxLabel - 20).toWellFormed();
}

function withOwnLabels(values: readonly OfferedValue[]): readonly OfferedValue[] {
  const used = new Set<string>();
  return values.map((value) => {
    let label = value.Label;
    for (let copy = 2; used.has(label); copy += 1) label = `${value.Label} (${copy})`;
    used.add(label);
    return { ...value, Label: label };
  });
}
