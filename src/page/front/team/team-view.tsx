// The team: its agents, todos, progress and messages.

import type { TeamOverview } from '../../../board/run.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Absent, AgeNote, Empty } from '../parts/notes.tsx';
import type { Meaning } from '../parts/run-state.tsx';
import { When } from '../parts/when.tsx';
import type { TeamPage } from '../server/answers.ts';
import { useAnswer } from '../store/page-state.ts';
import { MessageList } from './message-list.tsx';
import { NEWEST_PAGE, useMessages } from './use-messages.ts';

export function TeamView() {
  const answer = useAnswer<TeamPage>(NEWEST_PAGE);
  const messages = useMessages(answer.value);
  if (answer.value === null) return <Absent answer={answer} />;
  const { team } = answer.value;
  if (team === null) return <NoTeam />;
  return (
    <div class="team">
      <h1>Team</h1>
      <AgeNote answer={answer} />
      <p class="team-task">
        <span class={team.status === 'waiting-for-human' ? 'state need' : 'state move'}>
          <Icon name={team.status === 'waiting-for-human' ? 'person' : 'play'} />
          {team.status === 'waiting-for-human'
            ? 'waiting for you'
            : team.status.replaceAll('-', ' ')}
        </span>
        <span>{team.task === '' ? <span class="soft">No task is set.</span> : team.task}</span>
      </p>
      <div class="team-parts">
        <div class="team-side">
          <Agents agents={team.agents} />
          <Todos todos={team.todos} />
          <Notes progress={team.progress} />
        </div>
        <section class="team-messages" aria-labelledby="messages">
          <h2 id="messages">
            Messages{' '}
            <span class="soft">
              {team.messages.total} · {team.messages.unread} unread
            </span>
          </h2>
          <MessageList {...messages} total={team.messages.total} />
        </section>
      </div>
    </div>
  );
}

function Agents({ agents }: Pick<TeamOverview, 'agents'>) {
  return (
    <section aria-labelledby="agents">
      <h2 id="agents">
        Agents <span class="soft">{agents.length}</span>
      </h2>
      <ul class="plain agents">
        {agents.map(({ name, does }) => (
          <li key={name}>
            <strong>{name}</strong>
            <span class="soft">{does ?? 'nothing under way'}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const TODO: Readonly<Record<string, { icon: IconName; meaning: Meaning }>> = {
  completed: { icon: 'check', meaning: 'good' },
  in_progress: { icon: 'play', meaning: 'move' },
  cancelled: { icon: 'cross', meaning: 'quiet' },
};

function Todos({ todos }: Pick<TeamOverview, 'todos'>) {
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <section aria-labelledby="todos">
      <h2 id="todos">
        To do <span class="soft">{todos.length > 0 && `${done} of ${todos.length} done`}</span>
      </h2>
      {todos.length === 0 && <p class="soft">No todos yet.</p>}
      <ul class="plain todos">
        {todos.map(({ text, status }, index) => {
          const { icon, meaning } = TODO[status] ?? { icon: 'circle', meaning: 'quiet' };
          return (
            <li key={index} class={meaning}>
              <span class={`verdict ${meaning}`}>
                <Icon name={icon} label={status.replaceAll('_', ' ')} />
              </span>
              <span>{text}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const MAX_NOTES = 50;

function Notes({ progress }: Pick<TeamOverview, 'progress'>) {
  const newest = progress.slice(-MAX_NOTES).reverse();
  return (
    <section aria-labelledby="progress">
      <h2 id="progress">Progress</h2>
      {newest.length === 0 && <p class="soft">No progress reported yet.</p>}
      <ul class="plain notes">
        {newest.map(({ at, agent, text }) => (
          <li key={`${at} ${agent} ${text}`}>
            <span class="soft">
              {agent} · <When at={at} />
            </span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoTeam() {
  return (
    <Empty title="No team here yet">
      <p>
        A team is several agents that share messages, todos and progress. Name them in{' '}
        <code>GOAL.md</code> or <code>.deepwork/config.yml</code>.
      </p>
      <p>
        Then start each with <code>deepwork launch --agent NAME</code>
      </p>
    </Empty>
  );
}
