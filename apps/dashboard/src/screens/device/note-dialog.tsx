import { useState } from 'preact/hooks';
import { instantOf, wallTime } from '../../model/zoned.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { serverNow, zone } from '../../store/clock.ts';
import { marksTexts as say } from './marks-texts.ts';

type Kind = 'Note' | 'Deployment' | 'Change';

/** Adds a mark to the time axis of a device. */
export function NoteDialog({
  device: { id, name },
  onClose,
  onAdded,
}: {
  readonly device: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
  readonly onAdded: () => void;
}) {
  const [kind, setKind] = useState<Kind>('Note');
  const [text, setText] = useState('');
  const [link, setLink] = useState('');
  const [opened] = useState(() => wallTime(zone.peek(), serverNow()));
  const [at, setAt] = useState(opened);
  const { isBusy, problemOf, words, send } = useSending();
  const add = async () => {
    // Unless the time is changed, the mark is of the very moment at which it is added.
    const moment = at === opened ? {} : { At: new Date(instantOf(zone.peek(), at)).toISOString() };
    const Link = link.trim();
    await take(
      api.POST('/marks', {
        body: { Kind: kind, Text: text.trim(), Devices: [id], ...moment, ...(Link === '' ? {} : { Link }) },
      }),
    );
    onAdded();
    onClose();
  };
  return (
    <Dialog title={say.addTitle(name)} onClose={onClose}>
      <form onSubmit={(event) => void send(event, add)}>
        <LineField name={say.text} value={text} problem={problemOf('Text')} isFirst onInput={setText} />
        <SelectField
          name={say.kind}
          problem={undefined}
          value={kind}
          choices={say.choices}
          onChoose={(chosen) => setKind(say.choices.find(([value]) => value === chosen)?.[0] ?? 'Note')}
        />
        <MomentField name={say.at} value={at} problem={problemOf('At')} hint={zone.value} onInput={setAt} />
        <LineField
          name={say.link}
          value={link}
          problem={problemOf('Link')}
          hint={say.linkHint}
          onInput={setLink}
        />
        <FormRefusal words={words(['Text', 'At', 'Link'])} />
        <div class="buttons section">
          <SubmitButton isOff={isBusy || text.trim() === '' || Number.isNaN(instantOf(zone.peek(), at))}>
            {say.save}
          </SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}
