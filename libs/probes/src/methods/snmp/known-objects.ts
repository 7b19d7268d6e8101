/** A known object, and its conversion to a value. */
export interface KnownObject {
  /** The whole OID, with its instance. */
  readonly oid: string;
  /** `hrProcessorLoad.1` */
  readonly label: string;
  readonly unit: string;
  readonly kind: 'Gauge' | 'Counter' | 'Text';
  /** Further objects of the same row, which `scale` needs. */
  readonly companions: readonly string[];
  /** The value from the numbers of the object and its companions; undefined if the device does not know it. */
  scale(value: number, companions: readonly (number | undefined)[]): number | undefined;
}

interface ObjectRow {
  readonly oid: string;
  readonly unit?: string;
  readonly kind?: KnownObject['kind'];
  /** The numbers of an index; 0 is a scalar. Default: 1. */
  readonly index?: number;
  readonly companions?: readonly string[];
  readonly scale?: KnownObject['scale'];
}

const system = '1.3.6.1.2.1.1';
const host = '1.3.6.1.2.1.25';
const storage = `${host}.2.3.1`;
const ups = '1.3.6.1.2.1.33.1';
const sensor = '1.3.6.1.2.1.99.1.1.1';
const printer = '1.3.6.1.2.1.43';
const supplies = `${printer}.11.1.1`;
const ifTable = '1.3.6.1.2.1.2.2.1';
const ifXTable = '1.3.6.1.2.1.31.1.1.1';

const times = (factor: number) => (value: number) => value * factor;
/** An unknown value is negative in several MIBs. */
const ifKnown = (value: number) => (value < 0 ? undefined : value);

/** RFC 3433: a value is in units of 10^(3 × (scale - 9)), with `precision` decimal places. */
function sensorValue(value: number, [scale, precision]: readonly (number | undefined)[]): number | undefined {
  if (value <= -1_000_000_000 || value >= 1_000_000_000) return undefined;
  return value * 10 ** (3 * ((scale ?? 9) - 9) - (precision ?? 0));
}

const gauge = (oid: string, unit: string, row: Omit<ObjectRow, 'oid' | 'unit'> = {}): ObjectRow => ({
  oid,
  unit,
  ...row,
});
const scalar = (oid: string, unit: string, scale?: KnownObject['scale']): ObjectRow => ({
  oid,
  unit,
  index: 0,
  ...(scale && { scale }),
});
const counter = (oid: string, unit: string): ObjectRow => ({ oid, unit, kind: 'Counter' });

/** The objects that people watch, of the MIBs that most devices have. */
const objects: Readonly<Record<string, ObjectRow>> = {
  sysUpTime: scalar(`${system}.3`, 's', times(0.01)),
  // IF-MIB
  ifOperStatus: gauge(`${ifTable}.8`, ''),
  ifInOctets: counter(`${ifTable}.10`, 'B/s'),
  ifOutOctets: counter(`${ifTable}.16`, 'B/s'),
  ifInErrors: counter(`${ifTable}.14`, '/s'),
  ifOutErrors: counter(`${ifTable}.20`, '/s'),
  ifHCInOctets: counter(`${ifXTable}.6`, 'B/s'),
  ifHCOutOctets: counter(`${ifXTable}.10`, 'B/s'),
  ifHCInUcastPkts: counter(`${ifXTable}.7`, '/s'),
  ifHCOutUcastPkts: counter(`${ifXTable}.11`, '/s'),
  ifHighSpeed: gauge(`${ifXTable}.15`, 'bit/s', { scale: times(1_000_000) }),
  // HOST-RESOURCES-MIB
  hrSystemUptime: scalar(`${host}.1.1`, 's', times(0.01)),
  hrSystemNumUsers: scalar(`${host}.1.5`, ''),
  hrSystemProcesses: scalar(`${host}.1.6`, ''),
  hrMemorySize: scalar(`${host}.2.2`, 'B', times(1024)),
  hrProcessorLoad: gauge(`${host}.3.3.1.2`, '%'),
  hrStorageSize: gauge(`${storage}.5`, 'B', {
    companions: [`${storage}.4`],
    scale: (size, [unit]) => size * (unit ?? 1),
  }),
  hrStorageUsed: gauge(`${storage}.6`, 'B', {
    companions: [`${storage}.4`],
    scale: (used, [unit]) => used * (unit ?? 1),
  }),
  hrStorageUsedPercent: gauge(`${storage}.6`, '%', {
    companions: [`${storage}.5`],
    scale: (used, [size]) => (size === undefined || size <= 0 ? undefined : (100 * used) / size),
  }),
  hrPrinterStatus: gauge(`${host}.3.5.1.1`, ''),
  // UPS-MIB (RFC 1628)
  upsBatteryStatus: scalar(`${ups}.2.1`, ''),
  upsSecondsOnBattery: scalar(`${ups}.2.2`, 's'),
  upsEstimatedMinutesRemaining: scalar(`${ups}.2.3`, 'min'),
  upsEstimatedChargeRemaining: scalar(`${ups}.2.4`, '%'),
  upsBatteryVoltage: scalar(`${ups}.2.5`, 'V', times(0.1)),
  upsBatteryCurrent: scalar(`${ups}.2.6`, 'A', times(0.1)),
  upsBatteryTemperature: scalar(`${ups}.2.7`, '°C'),
  upsInputFrequency: gauge(`${ups}.3.3.1.2`, 'Hz', { scale: times(0.1) }),
  upsInputVoltage: gauge(`${ups}.3.3.1.3`, 'V'),
  upsOutputSource: scalar(`${ups}.4.1`, ''),
  upsOutputVoltage: gauge(`${ups}.4.4.1.2`, 'V'),
  upsOutputPower: gauge(`${ups}.4.4.1.4`, 'W'),
  upsOutputPercentLoad: gauge(`${ups}.4.4.1.5`, '%'),
  upsAlarmsPresent: scalar(`${ups}.6.1`, ''),
  // ENTITY-SENSOR-MIB (RFC 3433)
  entPhySensorValue: gauge(`${sensor}.4`, '', {
    companions: [`${sensor}.2`, `${sensor}.3`],
    scale: sensorValue,
  }),
  entPhySensorOperStatus: gauge(`${sensor}.5`, ''),
  // Printer-MIB (RFC 3805)
  prtMarkerLifeCount: gauge(`${printer}.10.2.1.4`, 'pages', { index: 2 }),
  prtMarkerSuppliesLevel: gauge(`${supplies}.9`, '', { index: 2, scale: ifKnown }),
  prtMarkerSuppliesPercent: gauge(`${supplies}.9`, '%', {
    index: 2,
    companions: [`${supplies}.8`],
    scale: (level, [capacity]) =>
      level < 0 || capacity === undefined || capacity <= 0 ? undefined : (100 * level) / capacity,
  }),
};

/** The names of the table; those with rows end with `.1`, or `.1.1` where the index has two numbers. */
export function objectNames(): readonly string[] {
  return Object.entries(objects).map(([name, { index = 1 }]) => `${name}${'.1'.repeat(index)}`);
}

/** The object of `name`, or of `name.index` where it has rows; undefined for a name or an index that it cannot have. */
export function knownObject(text: string): KnownObject | undefined {
  const [, name = '', suffix = ''] = /^([a-zA-Z]+)((?:\.\d{1,10})*)$/.exec(text) ?? [];
  const row = Object.hasOwn(objects, name) ? objects[name] : undefined;
  if (row === undefined) return undefined;
  const parts = suffix.split('.').slice(1).map(Number);
  const isScalar = row.index === 0;
  const isFitting = isScalar
    ? parts.length === 0 || (parts.length === 1 && parts[0] === 0)
    : parts.length === (row.index ?? 1) && parts.every((part) => part <= 0xffff_ffff);
  if (!isFitting) return undefined;
  const instance = isScalar ? '.0' : `.${parts.join('.')}`;
  return {
    oid: `${row.oid}${instance}`,
    label: isScalar ? name : `${name}${instance}`,
    unit: row.unit ?? '',
    kind: row.kind ?? 'Gauge',
    companions: (row.companions ?? []).map((oid) => `${oid}${instance}`),
    scale: row.scale ?? ((value) => value),
  };
}
