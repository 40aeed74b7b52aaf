// What `deepwork run` did, as someone who was away wants to know it: the turns with their cost, and
// why it stopped. What the session says itself is left out, unless the run is a team's, which has
// no session.

import { dollars } from '../core/run/budgets.ts';
import type { RunEvent, TurnEnded, TurnStarted } from '../core/run/events.ts';
import { agentLabel } from './agent-names.ts';
import { unattendedInWords } from './describe-unattended.ts';
import { historyText } from './event-words.ts';
import type { RecentEvent, RecentKind } from './recent-events.ts';

export function recentOfUnattended(events: readonly RunEvent[], isTeam: boolean): RecentEvent[] {
  const found: RecentEvent[] = [];
  let open: TurnStarted | null = null;
  let isAsked = false;
  const end = (ended: TurnEnded | null) => {
    if (open !== null) found.push(turnOf(open, ended));
    open = null;
  };
  for (const event of events) {
    const { text, by } = unattendedInWords(event, 1);
    const [first = ''] = text.split('\n');
    const say = (kind: RecentKind, words: string, why: string | null = null) =>
      void found.push({ at: event.at, kind, step_id: null, by, text: words, why });
    switch (event.type) {
      case 'run_started':
        end(null);
        isAsked = false;
        if (event.data.resumed === true) say('unattended', first);
        else say('started', first.replace('Run unattended', 'Started unattended'));
        break;
      case 'turn_started':
        end(null);
        open = event;
        break;
      case 'turn_ended': {
        const who = open === null ? 'The agent' : agentLabel(open.data.agent);
        end(event);
        const until = event.data.limit_until;
        if (until !== null) say('out_of_quota', `${who} is out of quota until ${until}`, until);
        break;
      }
      case 'complete_refused': {
        const why = historyText(event.data.why);
        const text = `'complete' was turned down by ${why}`;
        found.push({ at: event.at, kind: 'turned_down', step_id: 'complete', by, text, why });
        break;
      }
      case 'stop_asked':
        isAsked = true;
        // The end says the same, as soon as it comes.
        if (event.data.abort !== true) say('stop_asked', first, historyText(event.data.reason));
        break;
      case 'run_stopped': {
        const { reason, detail } = event.data;
        const why = historyText(detail);
        if (reason === 'complete' && isTeam) say('completed', 'Completed');
        else if (reason === 'aborted' && isTeam) say('aborted', why, why);
        else if (reason === 'complete' || reason === 'aborted') break;
        else if (reason !== 'stopped' || !isAsked)
          say('stopped', `Stopped (${reason}): ${why}`, why);
      }
    }
  }
  // It is under way, or its runner was killed.
  end(null);
  return found;
}

function turnOf({ at, data }: TurnStarted, ended: TurnEnded | null): RecentEvent {
  const { turn, agent, step_id } = data;
  const where = step_id === null ? '' : ` at '${step_id}'`;
  const cost = ended?.data.cost_usd ?? null;
  const brought = ended === null || ended.data.advanced ? '' : '; nothing was accepted';
  return {
    at: ended?.at ?? at,
    kind: 'turn',
    step_id,
    by: agent,
    why: null,
    cost_usd: cost,
    text: `Turn ${turn} of ${agentLabel(agent)}${where}${cost === null ? '' : `, ${dollars(cost)}`}${brought}`,
  };
}
