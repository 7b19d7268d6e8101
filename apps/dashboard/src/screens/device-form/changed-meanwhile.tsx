import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { JoinedDraft } from './draft-changes.ts';
import { fieldWords, settingWords } from './field-words.ts';
import type { DeviceChoices } from './read-choices.ts';

/** The settings that someone else saved while the form was edited, next to those of the form. */
export function ChangedMeanwhile({
  joined: { clashes, taken },
  choices,
  chosen,
  onChoose,
}: {
  readonly joined: JoinedDraft;
  readonly choices: DeviceChoices | undefined;
  /** The settings for which the other person's value was chosen. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (field: string, isTheirs: boolean) => void;
}) {
  return (
    <section class={css['meanwhile']} role="alert" aria-label={say.conflictTitle}>
      <h2>{say.conflictTitle}</h2>
      {clashes.length > 0 && (
        <>
          <p>{say.conflictHint}</p>
          <div class="scroll">
            <table class="stack">
              <thead>
                <tr>
                  <th scope="col">{say.conflictHead.setting}</th>
                  <th scope="col">{say.conflictHead.mine}</th>
                  <th scope="col">{say.conflictHead.theirs}</th>
                </tr>
              </thead>
              <tbody>
                {clashes.map(({ field, mine, theirs }) => (
                  <tr key={field}>
                    <th scope="row">{fieldWords(field)}</th>
                    {(
                      [
                        [say.keepMine, mine, false],
                        [say.useTheirs, theirs, true],
                      ] as const
                    ).map(([words, value, isTheirs]) => (
                      <td key={words} data-label={isTheirs ? say.conflictHead.theirs : say.conflictHead.mine}>
                        <label>
                          <input
                            type="radio"
                            name={`meanwhile ${field}`}
                            checked={chosen.has(field) === isTheirs}
                            onChange={() => onChoose(field, isTheirs)}
                          />{' '}
                          <span class="hidden">{words}: </span>
                          <bdi>{settingWords(field, value, choices)}</bdi>
                        </label>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {taken.length > 0 && (
        <>
          <p>{say.conflictTaken}</p>
          <ul>
            {taken.map(({ field, before, after }) => (
              <li key={field}>
                {say.changed(
                  fieldWords(field),
                  settingWords(field, before, choices),
                  settingWords(field, after, choices),
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
