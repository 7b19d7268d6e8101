import { isReceived } from '@vantage/domain/method';
import { useState } from 'preact/hooks';
import { DeviceCopies } from '../../parts/device-copies.tsx';
import { useKeys } from '../../parts/keys.ts';
import { MaintenanceDialog } from '../../parts/maintenance-dialog.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { go } from '../../store/address.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { checkNow, endMaintenance, setEnabled } from '../../store/device-changes.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { deviceTexts as say } from './device-texts.ts';
import { type DeviceDetail, deviceName } from './read-detail.ts';

/** Check now, maintenance, pause and edit, as far as the session may do them. */
export function DeviceActions({
  detail,
  again,
}: {
  readonly detail: DeviceDetail;
  readonly again: () => void;
}) {
  const { device, etag } = detail;
  const id = device.device_id;
  const name = deviceName(detail);
  const hasAgents = !isReceived(device.Method);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const run = (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    work()
      .then(again, (error: unknown) => setProblem(problemWords(error)))
      .finally(() => setBusy(false));
  };
  const check = () => run(() => checkNow(id));
  const isMaint = device.MaintenanceUntil !== null;
  const maintain = () => (isMaint ? run(() => endMaintenance({ id, name })) : setAsking(true));
  const pause = () => run(() => setEnabled({ id, name, etag }, !device.Enabled));
  const edit = () => go(`/devices/${id}/edit`);
  useKeys({
    ...(mayOperate.value ? { m: maintain } : {}),
    ...(mayOperate.value && hasAgents ? { r: check } : {}),
    ...(mayWrite.value ? { i: edit } : {}),
  });
  if (!mayOperate.value) return null;
  return (
    <div class="buttons">
      {hasAgents && (
        <button type="button" class="button main" disabled={busy} onClick={check}>
          {busy ? say.checking : say.checkNow} <kbd>r</kbd>
        </button>
      )}
      <button type="button" class="button" onClick={maintain}>
        {isMaint ? say.endMaintenance : deviceWords.maintenance} <kbd>m</kbd>
      </button>
      {mayWrite.value && (
        <>
          <button type="button" class="button" disabled={busy} onClick={pause}>
            {device.Enabled ? say.pause : say.resume}
          </button>
          <a class="button" href={`/devices/${id}/edit`}>
            {say.edit} <kbd>i</kbd>
          </a>
          <DeviceCopies device={device} />
        </>
      )}
      {problem !== undefined && (
        <span class="bad" role="alert">
          {say.checkFailed(problem)}
        </span>
      )}
      {isAsking && <MaintenanceDialog id={id} name={name} onClose={() => setAsking(false)} onDone={again} />}
    </div>
  );
}
