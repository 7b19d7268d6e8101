import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../src/root.ts';
import { runScript, scriptFolder } from '../src/testing/run-script.ts';

const workFolder = mkdtempSync(path.join(tmpdir(), 'vantage-scripts-'));
afterAll(() => rmSync(workFolder, { recursive: true }));

test.each([
  'agent-installer/vantage-agent.service',
  'agent-installer/controller/vantage.service',
  'agent-installer/controller/vantage-backup.service',
])('%s limits the memory of the unit, so that a fault cannot exhaust the host', (unit) => {
  expect(readFileSync(path.join(root, unit), 'utf8')).toMatch(/^MemoryMax=\d+(M|G|%)$/m);
});

/** The lines about these units: systemd also names faults of the units that the machine has. */
function linesAbout(output: string, units: readonly string[]): readonly string[] {
  const ofMachine = /^\/(usr\/)?lib\/systemd\//;
  return output
    .split('\n')
    .filter((line) => line !== '' && (!ofMachine.test(line) || units.some((unit) => line.includes(unit))));
}

describe.each([
  ['vantage-agent.service', '/opt/vantage-agent/bin/vantage-agent', 'vantage-agent'],
  ['controller/vantage.service', '/opt/vantage/bin/vantage', 'controller/vantage'],
])('%s', (file, installed, program) => {
  test('has an exposure of at most 2.0', ({ skip }) => {
    const unit = path.join(scriptFolder, file);
    const args = ['security', '--offline=yes', '--threshold=20', unit];
    const { status, output, isMissing } = runScript('systemd-analyze', ...args);
    skip(isMissing, 'systemd-analyze is missing');
    expect(status, output).toBe(0);
  });

  test('has no line that systemd does not accept', ({ skip }) => {
    // The program is not installed here, and systemd refuses a unit without its program.
    const unit = readFileSync(path.join(scriptFolder, file), 'utf8');
    expect(unit).toMatch(new RegExp(`^ExecStart=${installed} \\w+$`, 'm'));
    const copy = path.join(workFolder, path.basename(file));
    writeFileSync(copy, unit.replace(installed, path.join(scriptFolder, program)));
    const { status, output, isMissing } = runScript('systemd-analyze', '--man=no', 'verify', copy);
    skip(isMissing, 'systemd-analyze is missing');
    expect([status, linesAbout(output, [copy])]).toEqual([0, []]);
  });
});

describe('the units of the nightly backup', () => {
  const read = (name: string) => readFileSync(path.join(scriptFolder, 'controller', name), 'utf8');
  /** Runs a command of the unit in a shell, with these settings, as systemd does after it read `%%`. */
  const runLine = (key: string, settings: string) => {
    const [, command = ''] =
      new RegExp(`^${key}=/bin/sh -c '(.*)'$`, 'm').exec(read('vantage-backup.service')) ?? [];
    const printed = command.replaceAll('%%', '%').replace('exec /opt/vantage/bin/vantage', 'echo');
    return runScript('sh', '-c', `${settings}\n${printed}`);
  };

  test('have no line that systemd does not accept', ({ skip }) => {
    const copies = ['vantage-backup.service', 'vantage-backup.timer'].map((name) => {
      const copy = path.join(workFolder, name);
      writeFileSync(copy, read(name));
      return copy;
    });
    const { status, output, isMissing } = runScript('systemd-analyze', '--man=no', 'verify', ...copies);
    skip(isMissing, 'systemd-analyze is missing');
    expect([status, linesAbout(output, copies)]).toEqual([0, []]);
  });

  test('do nothing with the settings of the package, and create a verified backup in the folder of the settings', () => {
    const settings = read('backup.env');
    expect(runLine('ExecCondition', settings).status).toBe(1);
    const chosen = settings
      .replace('FOLDER=', 'FOLDER=/srv/own')
      .replace('OPTIONS=', 'OPTIONS="--recipient age1"');
    expect(runLine('ExecCondition', chosen).status).toBe(0);
    const { output } = runLine('ExecStart', chosen);
    expect(output).toMatch(/^backup \/srv\/own\/[^/ ]+\.backup --verify --recipient age1\n$/);
  });

  test('run the command where the package has it', () => {
    const programs = [...read('vantage-backup.service').matchAll(/\/opt\/vantage\/\S*/g)].map(
      ([file]) => file,
    );
    expect(programs).toEqual(['/opt/vantage/bin/vantage']);
    expect(readFileSync(path.join(scriptFolder, 'src/controller/controller-tree.ts'), 'utf8')).toContain(
      "name: 'bin/vantage'",
    );
  });
});
