import type { Schemas } from '@vantage/client';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { inFull } from '../../model/format.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { rows } from '../../store/account-state.ts';
import { api, ifMay, take } from '../../store/api.ts';
import type { DeviceDraft } from './device-draft.ts';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { DraftChange } from './draft-changes.ts';
import { fieldWords, settingWords } from './field-words.ts';
import { NobodyNotified, scheduleOf } from './notified-lines.tsx';
import type { DeviceChoices } from './read-choices.ts';
import { decisionOf, loadOf } from './saving-facts.ts';

const maxChanges = 6;
const maxMessages = 3;

function Line({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Changes({
  changes,
  choices,
}: {
  readonly changes: readonly DraftChange[];
  readonly choices: DeviceChoices | undefined;
}) {
  if (changes.length === 0) return <span class="mute">{say.noChanges}</span>;
  return (
    <ul>
      {changes.slice(0, maxChanges).map(({ field, before, after }) => (
        <li key={field}>
          {say.changed(
            fieldWords(field),
            settingWords(field, before, choices),
            settingWords(field, after, choices),
          )}
        </li>
      ))}
      {changes.length > maxChanges && <li class="mute">{say.andChanges(changes.length - maxChanges)}</li>}
    </ul>
  );
}

/** The load of a draft in words. */
function loadWords(draft: DeviceDraft, defaults: readonly string[]): string {
  const { perMinute, locations } = loadOf(draft, defaults);
  if (!draft.isEnabled) return say.loadPaused;
  return perMinute === 0 ? say.loadNowhere : say.loadOf(say.perMinute(perMinute), say.loadFrom(locations));
}

/** The contacts that would be notified if the device were Down now, in the API's sentences. */
function Notified({ draft, choices }: { readonly draft: DeviceDraft; readonly choices: DeviceChoices }) {
  const { id, schedule } = scheduleOf(draft, choices);
  const read = useRead(async () => {
    if (schedule === undefined) return [];
    const { Steps, Timezone } = schedule;
    const Severity = draft.severity as Schemas['Device']['Severity'];
    const body = { Steps, Timezone, Severity, Kind: 'device.down' as const, At: null };
    return await take(api.POST('/nschedules/preview', { body }));
  }, [id, draft.severity, schedule]);
  if (id === null) return <NobodyNotified choices={choices} />;
  if (schedule === undefined) return say.hiddenChoice;
  const messages = (read.data ?? []).filter(({ Repeat }) => !Repeat);
  return (
    <>
      <ReadState read={read} rows={0} />
      {read.data === undefined && read.problem === undefined && <span class="mute">{say.asking}</span>}
      {read.data !== undefined && messages.length === 0 && say.notifiesEmpty}
      <ul>
        {messages.slice(0, maxMessages).map(({ Text, Timestamp }) => (
          <li key={`${Timestamp}${Text}`}>
            <bdi>{Text}</bdi>
          </li>
        ))}
        {messages.length > maxMessages && (
          <li class="mute">{say.andChanges(messages.length - maxMessages)}</li>
        )}
      </ul>
    </>
  );
}

const maxSame = 3;

/** Other devices with the same name, or with the same address and Method. */
function Conflicts({ draft, id }: { readonly draft: DeviceDraft; readonly id: string | undefined }) {
  const name = draft.fullName.trim() === '' ? draft.shortName.trim() : draft.fullName.trim();
  const all = rows.value;
  const sameName = useMemo(
    () =>
      name === '' ? [] : all.filter((row) => row.id !== id && row.name.toLowerCase() === name.toLowerCase()),
    [all, id, name],
  );
  const url = draft.url.trim();
  const isScript = draft.method === 'Script';
  // The search of the API finds a text within the URL; lists have no URLs.
  const read = useRead(async () => {
    if (url.length < 3 || url.length > 200 || isScript || url.includes('***')) return [];
    await new Promise((done) => setTimeout(done, 400));
    const query = { Search: url, Method: [draft.method as Schemas['Device']['Method']], Limit: 20 };
    return (await ifMay(take(api.GET('/devices', { params: { query } })))) ?? [];
  }, [url, draft.method]);
  const sameAddress = (read.data ?? []).filter(({ URL, device_id }) => URL === url && device_id !== id);
  return (
    <>
      <ReadState read={read} rows={0} />
      {sameName.length > 0 && (
        <li>{say.sameName(sameName.slice(0, maxSame).map((row) => `${row.name} (${row.shortName})`))}</li>
      )}
      {sameAddress.length > 0 && (
        <li>
          {say.sameAddress(
            sameAddress.slice(0, maxSame).map(({ FullName, ShortName }) => FullName ?? ShortName),
          )}
        </li>
      )}
    </>
  );
}

/** Says what saving the draft does: changes, load, when it is Down, who is notified, conflicts. */
export function SavingEffects({
  draft,
  stored,
  id,
  changes,
  choices,
}: {
  readonly draft: DeviceDraft;
  /** Undefined for a new device. */
  readonly stored: DeviceDraft | undefined;
  readonly id: string | undefined;
  readonly changes: readonly DraftChange[];
  readonly choices: DeviceChoices | undefined;
}) {
  const decision = decisionOf(draft);
  const defaults = choices?.defaultLocations ?? [];
  const load = loadWords(draft, defaults);
  const before = stored === undefined ? load : loadWords(stored, defaults);
  return (
    <section class={css['effects']} aria-label={say.effects}>
      <h2>{say.effects}</h2>
      <dl>
        {stored !== undefined && (
          <Line name={say.effect.changes}>
            <Changes changes={changes} choices={choices} />
          </Line>
        )}
        <Line name={say.effect.load}>
          {choices === undefined && draft.locations === undefined ? say.asking : load}{' '}
          {before !== load && <span class="mute">{say.loadBefore(before)}</span>}
        </Line>
        <Line name={say.effect.decided}>
          {decision === undefined ? '–' : say.decidedWithin(decision.attempts, inFull(decision.withinS))}
        </Line>
        <Line name={say.effect.notifies}>
          {choices === undefined ? (
            <span class="mute">{say.asking}</span>
          ) : (
            <Notified draft={draft} choices={choices} />
          )}
        </Line>
      </dl>
      <ul class={css['notes']}>
        <Conflicts draft={draft} id={id} />
        {stored !== undefined && stored.source !== '' && <li>{say.managed(stored.source)}</li>}
      </ul>
    </section>
  );
}
