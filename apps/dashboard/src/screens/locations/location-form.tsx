import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { readLocations } from '../../store/account-state.ts';
import { go } from '../../store/address.ts';
import { api, take } from '../../store/api.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import { AnchorFields } from './anchor-fields.tsx';
import { type LocationDraft, locationBody, locationDraft } from './location-draft.ts';
import { locationTexts as say } from './location-texts.ts';
import css from './locations.module.css';
import type { OpenedLocation } from './opened-location.ts';

const drafts = createDrafts<LocationDraft>();
const plainFields = ['Name', 'nschedule_id', 'ExternalKey', 'Source', 'PublicTargetsOnly'];

/** The notification schedules that can be chosen. One that the session cannot see stays. */
function scheduleChoices(schedules: OpenedLocation['schedules'], chosen: string) {
  const known = (schedules ?? []).map(({ nschedule_id, Name }) => [nschedule_id, Name] as const);
  const isUnknown = chosen !== '' && !known.some(([id]) => id === chosen);
  return [
    ['', say.accountSchedule] as const,
    ...known,
    ...(isUnknown ? [[chosen, say.unknownSchedule] as const] : []),
  ];
}

/** Changes the settings of a Location, or deletes it. */
export function LocationForm({
  opened: { location, etag, schedules },
  onSaved,
}: {
  readonly opened: OpenedLocation;
  readonly onSaved: () => void;
}) {
  const { location_id, Name } = location;
  const form = useDraft(drafts, location_id, locationDraft(location));
  const { draft, set } = form;
  const sending = useSending();
  const params = { path: { location_id } };
  const save = async () => {
    const body = locationBody(draft);
    const header = ifMatch(etag);
    await ifUnchanged(
      () => take(api.PUT('/locations/{location_id}', { params: { ...params, header }, body })),
      say.conflict,
    );
    form.saved();
    await readLocations();
    onSaved();
  };
  const shown = [
    ...plainFields,
    ...draft.anchors.flatMap((_, at) =>
      ['Name', 'Target', 'Networks'].map((field) => `Anchors.${at}.${field}`),
    ),
  ];
  return (
    <form class={css['form']} onSubmit={(event) => void sending.send(event, save)} noValidate>
      <KeptNotice form={form} />
      <LineField
        name={say.name}
        value={draft.name}
        problem={sending.problemOf('Name')}
        onInput={(name) => set({ name })}
      />
      <SelectField
        name={say.schedule}
        problem={sending.problemOf('nschedule_id')}
        value={draft.nscheduleId}
        choices={scheduleChoices(schedules, draft.nscheduleId)}
        onChoose={(nscheduleId) => set({ nscheduleId })}
      />
      <div>
        <label>
          <input
            type="checkbox"
            checked={draft.isPublicOnly}
            onChange={({ currentTarget }) => set({ isPublicOnly: currentTarget.checked })}
          />{' '}
          {say.publicOnly}
        </label>
        <p class={sending.problemOf('PublicTargetsOnly') === undefined ? 'hint' : 'hint bad'}>
          {sending.problemOf('PublicTargetsOnly') ?? say.publicOnlyHint}
        </p>
      </div>
      <AnchorFields
        anchors={draft.anchors}
        problemOf={sending.problemOf}
        onChange={(anchors) => set({ anchors })}
      />
      <details>
        <summary>{say.identity}</summary>
        <LineField
          name={say.externalKey}
          value={draft.externalKey}
          problem={sending.problemOf('ExternalKey')}
          hint={say.externalKeyHint}
          onInput={(externalKey) => set({ externalKey })}
        />
        <LineField
          name={say.source}
          value={draft.source}
          problem={sending.problemOf('Source')}
          hint={say.sourceHint}
          onInput={(source) => set({ source })}
        />
      </details>
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy}>{say.save}</SubmitButton>
        <RemoveButton
          words={say.remove}
          ask={say.removeAsk(Name)}
          remove={async () => {
            await take(api.DELETE('/locations/{location_id}', { params }));
            await readLocations();
          }}
          onRemoved={() => {
            form.discard();
            go('/locations');
          }}
        />
      </div>
    </form>
  );
}
