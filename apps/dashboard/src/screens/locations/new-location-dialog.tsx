import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { readLocations } from '../../store/account-state.ts';
import { go } from '../../store/address.ts';
import { api, take } from '../../store/api.ts';
import { locationTexts as say } from './location-texts.ts';
import css from './locations.module.css';

/** Creates a Location and opens it. */
export function NewLocationDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const sending = useSending();
  const create = async () => {
    const { location_id } = await take(api.POST('/locations', { body: { Name: name } }));
    await readLocations();
    onClose();
    go(`/locations/${location_id}`);
  };
  return (
    <Dialog title={say.create} onClose={onClose}>
      <form class={css['form']} onSubmit={(event) => void sending.send(event, create)} noValidate>
        <p class="mute">{say.createHint}</p>
        <LineField
          name={say.name}
          value={name}
          problem={sending.problemOf('Name')}
          hint={say.nameHint}
          onInput={setName}
          isFirst
        />
        <FormRefusal words={sending.words(['Name'])} />
        <div class="buttons">
          <SubmitButton isOff={sending.isBusy}>{say.createButton}</SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}
