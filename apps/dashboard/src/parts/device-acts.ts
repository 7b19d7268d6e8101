import { acknowledge, snooze } from '../store/alert-changes.ts';
import { alertOfDevice } from '../store/alerts.ts';
import { checkNow, endMaintenance } from '../store/device-changes.ts';
import { tell } from '../store/told.ts';
import { deviceWords } from '../texts/device-words.ts';
import { problemWords } from './problem-words.ts';

const say = deviceWords.rowKeys;
const snoozeFor = '01:00';

interface NamedDevice {
  readonly id: string;
  readonly name: string;
}

/** Does something with a device, and tells the outcome at the foot of the page. */
function run(work: Promise<string>): void {
  work.then(tell, (problem: unknown) => tell(problemWords(problem)));
}

function withAlert({ id, name }: NamedDevice, act: (alertId: string) => Promise<string>): void {
  const alert = alertOfDevice.value.get(id);
  if (alert === undefined) tell(say.noAlert(name));
  else run(act(alert.alert_id));
}

export const acknowledgeDevice = (device: NamedDevice): void =>
  withAlert(device, (id) => acknowledge([id], '').then(() => say.acknowledged(device.name)));

export const snoozeDevice = (device: NamedDevice): void =>
  withAlert(device, (id) => snooze([id], snoozeFor).then(() => say.snoozed(device.name)));

export function checkDevice({ id, name }: NamedDevice): void {
  tell(say.checking(name));
  run(checkNow(id).then((result) => say.checked(name, result)));
}

export function endMaintenanceOf(device: NamedDevice): void {
  endMaintenance(device).catch((problem: unknown) => tell(problemWords(problem)));
}
