// One client of the soak run: an agent that runs jobs, some nested and some aborted, uses guides,
// and communicates with its team. Every answer must be the right one; any other ends the run.

import { connectOverHttp, type HttpEra, post } from '../support/http.ts';
import type { Latencies } from './latencies.ts';

export interface SoakClient {
  /** One session from beginning to end, with other calls in between. */
  round(): Promise<void>;
}

export interface SoakClientSpec {
  readonly url: string;
  readonly name: string;
  readonly era: HttpEra;
  /** Who it writes to. */
  readonly peer: string;
  readonly latencies: Latencies;
  /** Called for each session that has ended. */
  readonly sessionEnded: () => void;
}

type Arguments = Readonly<Record<string, unknown>>;

export async function openSoakClient(spec: SoakClientSpec): Promise<SoakClient> {
  const { url, name, era, peer, latencies, sessionEnded } = spec;
  const coordinator = name === 'coordinator';
  const headers = { 'x-sgai-agent-identity': name };
  const client = await connectOverHttp(url, { era, headers });
  let rounds = 0;

  async function call(tool: string, given: Arguments = {}) {
    const answer = await latencies.time(tool, () =>
      client.callTool({ name: tool, arguments: { ...given } }, { timeout: 60_000 }),
    );
    const [block] = answer.content as { text: string }[];
    const text = block?.text ?? '';
    if (answer.isError) throw new Error(`${name}: ${tool} failed: ${text}`);
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
    return { text, data: answer.structuredContent as any };
  }

  function expectIn(text: string, wanted: string | RegExp): void {
    const found = typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
    if (!found) throw new Error(`${name}: expected ${wanted} in ${text.slice(0, 500)}`);
  }

  const start = (workflow: string) =>
    call('start_workflow', { goal: 'Soak', job_name: 'demo', workflow_name: workflow });

  async function finish(status: string): Promise<void> {
    const { data } = await call('finished_step', { outputs: { report: 'report.md' } });
    if (data.status !== status) throw new Error(`${name}: ${data.status}, expected ${status}`);
    if (status === 'workflow_complete') sessionEnded();
  }

  async function job(): Promise<void> {
    await start('main');
    expectIn((await call('get_active_workflow')).text, '"active":true');
    if (rounds % 3 === 0) {
      await start('short');
      await finish('workflow_complete');
    }
    const tried = await call('validate_step_outputs', { outputs: { report: 'report.md' } });
    if (tried.data.valid !== true) throw new Error(`${name}: ${tried.text}`);
    await finish('next_step');
    if (rounds % 5 === 0) {
      await call('abort_workflow', { explanation: 'Enough of it' });
      sessionEnded();
    } else await finish('workflow_complete');
  }

  async function guide(): Promise<void> {
    expectIn((await call('workflow_list')).text, 'demo-guide');
    const next = await call('workflow_next', { workflowId: 'demo-guide', completedSteps: [] });
    expectIn(next.text, 'first');
    const given = { workflowId: 'demo-guide', stepId: 'first', output: '{"done": true}' };
    expectIn((await call('workflow_validate', given)).text, '"valid":true');
  }

  async function team(): Promise<void> {
    const body = `Round ${rounds} of ${name}`;
    expectIn((await call('send_message', { toAgent: peer, body })).text, 'sent successfully');
    expectIn((await call('check_inbox')).text, /^You have (no|\d+) message/);
    if (rounds % 10 === 0) expectIn((await call('check_outbox')).text, `To: ${peer}`);
    const update = { status: 'working', task: body, addProgress: body };
    expectIn((await call('update_workflow_state', update)).text, /State updated|progress saved/);
    expectIn((await call('find_skills', { name: 'soaking' })).text, 'Soak it well.');
    if (coordinator) await lead();
  }

  /** What only the coordinator does. A person answers on the page. */
  async function lead(): Promise<void> {
    const todo = { id: '1', content: `Round ${rounds}`, status: 'pending', priority: 'low' };
    await call('project_todowrite', { todos: [todo] });
    expectIn((await call('project_todoread')).text, `Round ${rounds}`);
    if (rounds % 5 !== 0) return;
    const asked = call('ask_user_question', {
      questions: [{ question: `Go on with ${rounds}?`, choices: ['Yes', 'No'] }],
    });
    await answerOpenQuestion();
    expectIn((await asked).text, 'Yes');
  }

  async function answerOpenQuestion(): Promise<void> {
    for (;;) {
      const open = (await (await fetch(`${url}/api/questions`)).json()) as { id: string }[];
      for (const { id } of open) {
        const at = `${url}/api/questions/${id}/answer`;
        const { status } = await post(at, { choices: ['Yes'] });
        if (status !== 200) throw new Error(`question ${id} was answered with ${status}`);
      }
      if (open.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  return {
    async round() {
      rounds += 1;
      await job();
      await guide();
      await team();
    },
  };
}
