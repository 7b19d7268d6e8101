import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { Select } from '../../parts/field.tsx';
import { Refusal, Submit } from '../../parts/form-end.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { readLists } from '../../store/account-state.ts';
import { api, take } from '../../store/api.ts';
import { showZone } from '../../store/clock.ts';
import { mayWrite, session } from '../../store/credential.ts';
import { createDrafts } from '../../store/drafts.ts';
import { accountTexts as say } from '../../texts/account.ts';
import css from './account.module.css';

type Account = Schemas['Account'];
const shown = ['Timezone', 'DefaultLocations'];

function Fixed({ account }: { readonly account: Account }) {
  return (
    <dl class={css['facts']}>
      <div>
        <dt>{say.name}</dt>
        <dd>
          <bdi>{account.Name}</bdi>
        </dd>
      </div>
      <div>
        <dt>{say.retention}</dt>
        <dd title={say.retentionHint}>{say.days(account.RetentionDays)}</dd>
      </div>
    </dl>
  );
}

interface AccountDraft {
  readonly zone: string;
  /** Names with commas between them. */
  readonly locations: string;
  readonly schedule: string;
}

function bodyOf({ zone, locations, schedule }: AccountDraft) {
  const names = locations
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    Timezone: zone.trim(),
    DefaultLocations: names.length === 0 ? null : names,
    nschedule_id: schedule === '' ? null : schedule,
  };
}

const drafts = createDrafts<AccountDraft>();

function Form({
  account,
  schedules,
}: {
  readonly account: Account;
  readonly schedules: readonly Schemas['NotificationSchedule'][];
}) {
  const form = useDraft(drafts, 'account', {
    zone: account.Timezone,
    locations: account.DefaultLocations?.join(', ') ?? '',
    schedule: account.nschedule_id ?? '',
  });
  const { draft } = form;
  const [isSaved, setSaved] = useState(false);
  const sending = useSending();
  const set = (change: Partial<AccountDraft>) => {
    setSaved(false);
    form.set(change);
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      showZone((await take(api.PUT('/account', { body: bodyOf(draft) }))).Timezone);
      form.saved();
      setSaved(true);
      // The API writes times on the clocks of the account: what is shown has those of before.
      await readLists();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <TextField
        name={say.zone}
        value={draft.zone}
        problem={sending.of('Timezone')}
        hint={say.zoneHint}
        onInput={(zone) => set({ zone })}
      />
      <TextField
        name={say.defaults}
        value={draft.locations}
        problem={sending.of('DefaultLocations')}
        hint={say.defaultsHint}
        onInput={(locations) => set({ locations })}
      />
      <Select
        name={say.schedule}
        problem={undefined}
        value={draft.schedule}
        choices={[
          ['', say.noSchedule] as const,
          ...schedules.map(({ nschedule_id, Name }) => [nschedule_id, Name] as const),
        ]}
        onChoose={(schedule) => set({ schedule })}
      />
      <Refusal words={sending.words(shown)} />
      <div class="buttons">
        <Submit isOff={sending.isBusy}>{say.save}</Submit>
        <span role="status">{isSaved ? say.saved : ''}</span>
      </div>
    </form>
  );
}

/** The settings of the whole account. Who only views sees the zone and changes nothing. */
export function Settings(props: Parameters<typeof Form>[0]) {
  return (
    <section class="section" aria-labelledby="settings">
      <h2 id="settings">{say.settings}</h2>
      <Fixed account={props.account} />
      {mayWrite.value ? (
        <Form key={session.value?.name} {...props} />
      ) : (
        <p>
          {say.zone}: {props.account.Timezone}
        </p>
      )}
    </section>
  );
}
