import { isReceived } from '@vantage/domain/method';
import { guessMethod } from '../../model/guess-method.ts';
import type { DeviceFieldsProps } from './device-draft.ts';
import { DeviceField } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { ScriptFault } from './script-editor.tsx';
import { ScriptField } from './script-field.tsx';
import { ChoiceField } from './settings-fields.tsx';

/** The address of a device, and its Method. For a new one, Method and names are guessed from the address. */
export function AddressField({
  draft,
  set,
  problem,
  methodProblem,
  methods,
  storedId,
  scriptFault,
}: DeviceFieldsProps & {
  readonly problem: string | undefined;
  readonly methodProblem: string | undefined;
  readonly methods: readonly string[];
  readonly storedId: string | undefined;
  readonly scriptFault: ScriptFault | undefined;
}) {
  const guess = guessMethod(draft.pasted);
  const paste = (pasted: string) => {
    const found = guessMethod(pasted);
    const follow = (name: 'shortName' | 'fullName') =>
      draft[name] !== '' && draft[name] !== guess?.[name] ? draft[name] : (found?.[name] ?? '');
    set({
      pasted,
      url: found?.url ?? pasted,
      method: draft.isMethodChosen ? draft.method : (found?.method ?? draft.method),
      shortName: follow('shortName'),
      fullName: follow('fullName'),
    });
  };
  const isGuessed = guess !== undefined && draft.isNew && !draft.isMethodChosen;
  const hint = !isGuessed
    ? draft.isNew
      ? say.addressHint
      : undefined
    : guess.reason === 'scheme'
      ? say.guessedByScheme(guess.method, draft.pasted)
      : say.guessed[guess.reason](guess.method);
  const method = (
    <ChoiceField
      field="Method"
      words={say.method}
      problem={methodProblem}
      value={draft.method}
      choices={methods.map((each) => [each, each] as const)}
      isOff={!draft.isNew}
      onChoose={(chosen) => set({ method: chosen, isMethodChosen: true })}
    />
  );
  return (
    <div>
      <div class={draft.method === 'Script' ? css['scriptHead'] : css['addressHead']}>
        {draft.method === 'Script' ? (
          <ScriptField
            text={draft.url}
            problem={problem}
            fault={scriptFault}
            onText={(url) => set({ url, pasted: url })}
          />
        ) : isReceived(draft.method) ? (
          <p class="hint">{say.pushAddress(draft.isNew)}</p>
        ) : (
          <DeviceField field="URL" words={say.address} problem={problem} hint={hint}>
            {(input) => (
              <input
                {...input}
                type="text"
                name="address"
                class={css['address']}
                autofocus={draft.isNew}
                autocomplete="off"
                spellcheck={false}
                value={draft.isNew ? draft.pasted : draft.url}
                onInput={({ currentTarget: { value } }) => (draft.isNew ? paste(value) : set({ url: value }))}
              />
            )}
          </DeviceField>
        )}
        {method}
      </div>
      {storedId !== undefined && (
        <p class="hint">
          {say.methodFixed}{' '}
          <a class="link" href={`/devices/new?from=${storedId}`}>
            {say.duplicateAs}
          </a>
        </p>
      )}
    </div>
  );
}
