import { type DeviceVerb, deviceVerbs, matchRank, verbOf } from '../../model/palette-match.ts';
import { rankOf } from '../../model/state.ts';
import { acknowledgeDevice, checkDevice, endMaintenanceOf, snoozeDevice } from '../../parts/device-acts.ts';
import { problemWords } from '../../parts/problem-words.ts';
import { type DeviceListRow, rows } from '../../store/account-state.ts';
import { go } from '../../store/address.ts';
import { alertOfDevice } from '../../store/alerts.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { setEnabled } from '../../store/device-changes.ts';
import { tell } from '../../store/told.ts';
import { deviceWords } from '../../texts/device-words.ts';
import type { PaletteChoice } from './palette-choice.ts';
import { paletteTexts as say } from './palette-texts.ts';

const maxDevices = 6;

const shortcuts: Readonly<Partial<Record<DeviceVerb, string>>> = {
  acknowledge: 'e',
  snooze: 's',
  check: 'r',
  maintenance: 'm',
  edit: 'i',
};

/** Whether this can be done with the device now, and by this session. */
function isPossible(verb: DeviceVerb, row: DeviceListRow): boolean {
  const alert = alertOfDevice.value.get(row.id);
  switch (verb) {
    case 'acknowledge':
      return mayOperate.value && alert?.State === 'Open';
    case 'snooze':
      return mayOperate.value && alert !== undefined;
    case 'check':
    case 'maintenance':
      return mayOperate.value;
    case 'pause':
      return mayWrite.value && row.isEnabled;
    case 'resume':
      return mayWrite.value && !row.isEnabled;
    case 'edit':
      return mayWrite.value;
  }
}

const setRunning = (row: DeviceListRow, isEnabled: boolean) => {
  setEnabled(row, isEnabled).catch((problem: unknown) => tell(problemWords(problem)));
};

const acts: Readonly<Record<DeviceVerb, (row: DeviceListRow, askMaintenance: (id: string) => void) => void>> =
  {
    acknowledge: acknowledgeDevice,
    snooze: snoozeDevice,
    check: checkDevice,
    maintenance: (row, ask) => (row.state === 'Maint' ? endMaintenanceOf(row) : ask(row.id)),
    pause: (row) => setRunning(row, false),
    resume: (row) => setRunning(row, true),
    edit: ({ id }) => go(`/devices/${id}/edit`),
  };

const verbChoice = (
  verb: DeviceVerb,
  row: DeviceListRow,
  askMaintenance: (id: string) => void,
): PaletteChoice => ({
  key: `${verb}-${row.id}`,
  group: 'do',
  words: say.verbs[verb](row.name, row.state === 'Maint'),
  icon: 'Other',
  shortcut: shortcuts[verb],
  run: () => acts[verb](row, askMaintenance),
});

/** The actions on a device, as choices. */
export const actsOn = (row: DeviceListRow, askMaintenance: (id: string) => void): readonly PaletteChoice[] =>
  deviceVerbs.filter((verb) => isPossible(verb, row)).map((verb) => verbChoice(verb, row, askMaintenance));

const worstFirst = (a: DeviceListRow, b: DeviceListRow) => rankOf(a.state) - rankOf(b.state);

/** Devices by a name, a tag or the URL (`byUrl`), the best and worst ones first. */
export function devicesFor(words: readonly string[], byUrl: ReadonlySet<string>): readonly DeviceListRow[] {
  const found = rows.value.flatMap((row) => {
    const ranks = [matchRank(row.name, words), matchRank(row.shortName, words)];
    const rank = Math.min(...ranks.map((each) => each ?? 9));
    if (rank < 9) return [{ row, rank }];
    return byUrl.has(row.id) || matchRank(row.words, words) !== undefined ? [{ row, rank: 3 }] : [];
  });
  return found
    .sort((a, b) => a.rank - b.rank || worstFirst(a.row, b.row))
    .slice(0, maxDevices)
    .map(({ row }) => row);
}

export const deviceChoice = (row: DeviceListRow): PaletteChoice => ({
  key: row.id,
  group: 'devices',
  words: row.name,
  more: [row.shortName === row.name ? '' : row.shortName, row.tags[0] ?? '', deviceWords.states[row.state]]
    .filter((part) => part !== '')
    .join(' · '),
  icon: row.state,
  deviceId: row.id,
  run: () => go(`/devices/${row.id}`),
});

/** `pause core`: what the query names, with the devices that match its other words or could need it. */
export function verbChoices(
  words: readonly string[],
  askMaintenance: (id: string) => void,
): readonly PaletteChoice[] {
  const asked = verbOf(words);
  if (asked === undefined) return [];
  const { verb, rest } = asked;
  const candidates =
    rest.length > 0
      ? devicesFor(rest, new Set())
      : rows.value
          .filter((row) => isPossible(verb, row))
          .toSorted(worstFirst)
          .slice(0, maxDevices);
  return candidates
    .filter((row) => isPossible(verb, row))
    .map((row) => verbChoice(verb, row, askMaintenance));
}
