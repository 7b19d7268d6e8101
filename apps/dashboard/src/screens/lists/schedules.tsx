import { Heading } from '../../parts/heading.tsx';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { texts } from '../../texts.ts';

const say = texts.lists;

async function read() {
  const params = { query: { Limit: 100 } };
  const [notification, maintenance] = await Promise.all([
    take(api.GET('/nschedules', { params })),
    take(api.GET('/mschedules', { params })),
  ]);
  return { notification, maintenance };
}

function Table({
  head,
  rows,
}: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  if (rows.length === 0) return <p class="mute">{say.none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class="scroll" aria-label={head[0]} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            <tr key={at}>
              {cells.map((cell, column) => (
                <td key={column}>
                  <bdi>{cell}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Schedules as the API has them; they are read here and written through the API. */
export function Schedules() {
  const { data, problem, again } = useRead(read, []);
  return (
    <div class="page">
      <Heading>{say.schedules}</Heading>
      <p class="mute">{say.schedulesSay}</p>
      {data === undefined && problem === undefined && <Waiting />}
      {data === undefined && problem !== undefined && <Failure problem={problem} retry={again} />}
      {data !== undefined && (
        <>
          <section class="section">
            <h2>{say.notification}</h2>
            <Table
              head={[say.nameColumn, say.zone, say.steps]}
              rows={data.notification.map(({ Name, Timezone, Steps }) => [
                Name,
                Timezone,
                Steps.map(({ DelayMinutes, Contacts }) => say.step(DelayMinutes, Contacts.length)).join('; '),
              ])}
            />
          </section>
          <section class="section">
            <h2>{say.maintenance}</h2>
            <Table
              head={[say.nameColumn, say.zone, say.start, say.duration, say.recurrence]}
              rows={data.maintenance.map(({ Name, Timezone, Start, Duration, Recurrence }) => [
                Name,
                Timezone,
                Start,
                Duration,
                Recurrence ?? say.once,
              ])}
            />
          </section>
        </>
      )}
    </div>
  );
}
