import type { Compared, DeviceOutcome } from './judge.ts';
import type { Verdict } from './verdict.ts';

/** The verdict of a scene as text tables for people. */
export function verdictTables(verdict: Verdict): string {
  const messages = verdict.messages.map(({ name, expected, sent }) => {
    const [contact = '', type = '', ...about] = name.split(' ');
    return [contact, type, about.join(' '), String(expected), String(sent)];
  });
  const facts = Object.entries(verdict.facts).map(([name, value]) => [name, String(value)]);
  return [
    table(['contact', 'message', 'about', 'expected', 'sent'], fold(messages)),
    ...(verdict.devices.length > 0 ? [devicesTable(verdict.devices)] : []),
    ...(facts.length > 0 ? [table(['figure', 'value'], facts)] : []),
    differencesText(verdict.differences),
  ].join('\n');
}

/** At most this many differences are printed; the JSON has all. */
const maxDifferences = 40;

function differencesText(differences: readonly string[]): string {
  const lines = differences.slice(0, maxDifferences).map((difference) => `DIFFERENT  ${difference}\n`);
  const more = differences.length - lines.length;
  return lines.join('') + (more > 0 ? `DIFFERENT  and ${more} more\n` : '');
}

/** At most this many lines of messages of one kind are printed singly. */
const singly = 25;

/** Joins lines of one contact and kind that agree, where there are many. */
function fold(rows: readonly string[][]): string[][] {
  const groups = Map.groupBy(rows, ([contact, type, , expected, sent]) =>
    [contact, type, expected, sent].join(' '),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length <= singly) return group;
    const [contact = '', type = '', , expected = '', sent = ''] = first;
    return [[contact, type, `each of ${group.length}`, expected, sent]];
  });
}

function devicesTable(devices: readonly DeviceOutcome[]): string {
  const both = <T>({ expected, got }: Compared<T>, show: (value: T) => string = String) =>
    `${show(expected)} / ${show(got)}`;
  const whole = (value: number) => value.toFixed(0);
  return table(
    ['device (expected / recorded)', 'Status', 'outages', 'down s', 'maintenance s', 'unknown s', 'sum s'],
    devices.map((device) => [
      device.name,
      both(device.status),
      both(device.outages),
      both(device.downSeconds, whole),
      both(device.maintenanceSeconds, whole),
      both(device.unknownSeconds, whole),
      both(device.sumSeconds, whole),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return `${[line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')}\n`;
}
