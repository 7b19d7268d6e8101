import { useEffect, useState } from 'preact/hooks';
import { checkDevice } from '../../parts/device-acts.ts';
import { useKeys } from '../../parts/keys.ts';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { go } from '../../store/address.ts';
import { acknowledge, snooze } from '../../store/alert-changes.ts';
import { alertOfDevice } from '../../store/alerts.ts';
import { minute } from '../../store/clock.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { causes, maxCauses } from '../../store/overview-facts.ts';
import { maxDetailed, readCauseDetails } from '../../store/read-causes.ts';
import { andMore } from '../../texts/counted.ts';
import { CauseBlock } from './cause-block.tsx';
import css from './overview.module.css';

/** The causes, of which one is chosen: the keys act on it. */
export function CauseList() {
  const shown = causes.value.slice(0, maxCauses);
  const ids = shown.map(({ row }) => row.id);
  const detailed = ids.slice(0, maxDetailed);
  // The next message changes with each message, with an acknowledgement, and with time.
  const changed = detailed.map((id) => {
    const alert = alertOfDevice.value.get(id);
    return `${id}${alert?.State}${alert?.Notifications.length}`;
  });
  const read = useRead(
    () => readCauseDetails(detailed, alertOfDevice.value),
    [],
    [changed.join(), minute.value],
  );
  const [picked, setPicked] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  // The chosen cause stays the same when another one appears above it.
  useEffect(() => {
    if (ids[0] !== undefined && !ids.includes(picked)) {
      setPicked(ids.find((id) => alertOfDevice.value.get(id)?.State === 'Open') ?? ids[0]);
      setAsking(false);
    }
  }, [ids.join()]);
  const move = (by: number) => {
    const next = ids[Math.min(ids.length - 1, Math.max(0, ids.indexOf(picked) + by))];
    if (next !== undefined) setPicked(next);
  };
  const act = (id: string, change: (alert_id: string) => Promise<unknown>) => {
    const alert = alertOfDevice.value.get(id);
    setProblem(undefined);
    if (alert !== undefined)
      change(alert.alert_id).catch((error: unknown) => setProblem(problemWords(error)));
  };
  const actions = {
    acknowledge: (id: string) => act(id, (alert) => acknowledge([alert], '')),
    snooze: (id: string) => act(id, (alert) => snooze([alert], '01:00')),
    maintain: (id: string) => {
      setPicked(id);
      setAsking(true);
    },
  };
  const checkPicked = () => {
    const row = causes.value.find((cause) => cause.row.id === picked)?.row;
    if (row !== undefined) checkDevice(row);
  };
  const isOpen = alertOfDevice.value.get(picked)?.State === 'Open';
  useKeys(
    ids.length === 0
      ? {}
      : {
          j: () => move(1),
          k: () => move(-1),
          Enter: (event) => {
            const isControl = event.target instanceof Element && event.target.closest('a, button, summary');
            if (isControl) (event.target as HTMLElement).click();
            else go(`/devices/${picked}`);
          },
          ...(mayOperate.value
            ? {
                ...(isOpen ? { e: () => actions.acknowledge(picked), s: () => actions.snooze(picked) } : {}),
                m: () => actions.maintain(picked),
                r: () => checkPicked(),
              }
            : {}),
          ...(mayWrite.value ? { i: () => go(`/devices/${picked}/edit`) } : {}),
        },
  );
  if (ids.length === 0) return null;
  return (
    <>
      <ReadState read={read} rows={0} />
      {shown.map((cause) => (
        <CauseBlock
          key={cause.row.id}
          cause={cause}
          detail={read.data?.get(cause.row.id)}
          isChosen={cause.row.id === picked}
          isAsking={isAsking && cause.row.id === picked}
          onAsked={() => setAsking(false)}
          problem={cause.row.id === picked ? problem : undefined}
          actions={actions}
          onChoose={() => setPicked(cause.row.id)}
        />
      ))}
      {causes.value.length > maxCauses && (
        <p class={css['more']}>
          <a class="link" href="/devices?q=status:down">
            {andMore(causes.value.length - maxCauses)}
          </a>
        </p>
      )}
    </>
  );
}
