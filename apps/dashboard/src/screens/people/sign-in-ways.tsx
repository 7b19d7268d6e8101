import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { api, take } from '../../store/api.ts';
import css from './people.module.css';
import { peopleTexts } from './people-texts.ts';
import { rightsWords } from './rights-words.ts';

const say = peopleTexts.ways;

function ProviderFacts({
  provider: { Issuer, ClientId, HasSecret, Callback, Groups },
  allTags,
}: {
  readonly provider: Schemas['SignInProvider'];
  readonly allTags: readonly string[];
}) {
  return (
    <dl>
      <dt class="label">{say.provider}</dt>
      <dd>
        <bdi>{Issuer}</bdi>, {say.client(ClientId, HasSecret)}
      </dd>
      <dt class="label">{say.callback}</dt>
      <dd>
        <code>{Callback}</code>
      </dd>
      <dt class="label">{say.groups}</dt>
      <dd>
        {Groups === null && say.invited}
        {Groups?.length === 0 && say.noGroups}
        {Groups !== null && Groups.length > 0 && (
          <ul>
            {Groups.map(({ Group, Level, Tags }) => (
              <li key={Group}>{say.group(Group, rightsWords(Level, Tags, allTags))}</li>
            ))}
          </ul>
        )}
      </dd>
    </dl>
  );
}

/** Tests the operator's settings for signing in, and shows which of them work. */
function SignInTest() {
  const [isBusy, setBusy] = useState(false);
  const [found, setFound] = useState<Schemas['SignInTest']['Findings']>();
  const [problem, setProblem] = useState<string>();
  const run = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      setFound((await take(api.POST('/sign-in/test'))).Findings);
    } catch (error) {
      setProblem(problemWords(error));
    }
    setBusy(false);
  };
  const failed = found?.filter(({ Works }) => !Works).length ?? 0;
  return (
    <div>
      <button type="button" class="button" disabled={isBusy} onClick={() => void run()}>
        {say.test}
      </button>
      <div role="status">
        {problem !== undefined && <p class="bad">{problem}</p>}
        {found !== undefined && (
          <>
            <p class={failed > 0 ? 'bad' : undefined}>
              {failed > 0 ? say.fails(failed) : say.works(found.length)}
            </p>
            <ul>
              {found.map(({ Works, Text }) => (
                <li key={Text}>
                  <Icon name={Works ? 'Delivered' : 'Failed'} word={Works ? say.good : say.bad} />{' '}
                  <bdi>{Text}</bdi>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

/** The ways of signing in that the operator has set up, with a test. */
export function SignInWays({
  ways: { Provider: provider, Header: header },
  allTags,
}: {
  readonly ways: Schemas['SignInSettings'];
  readonly allTags: readonly string[];
}) {
  const isSet = provider !== null || header !== null;
  return (
    <section class="section" aria-labelledby="ways">
      <div class={css['head']}>
        <h2 id="ways">{say.title}</h2>
      </div>
      <div class={css['ways']}>
        <p>
          {say.always} {!isSet && say.none}
        </p>
        {provider !== null && <ProviderFacts provider={provider} allTags={allTags} />}
        {header !== null && (
          <dl>
            <dt class="label">{say.header}</dt>
            <dd>{say.headerOf(header.Name, header.TrustedProxies)}</dd>
          </dl>
        )}
        {isSet && (
          <>
            <p class="mute">{say.fixed}</p>
            <SignInTest />
          </>
        )}
      </div>
    </section>
  );
}
