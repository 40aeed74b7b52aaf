// What is shown instead of content: that there is nothing yet and what to do next, what went wrong,
// or that it is loading.

import type { ComponentChildren } from 'preact';
import type { Problem } from '../server/api.ts';
import type { Answer } from '../store/resources.ts';
import { Icon } from './icon.tsx';
import { PlainText } from './plain-text.tsx';
import { exactTime, withLocalTimes } from './time.ts';

export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

export function ProblemNote({ problem }: { readonly problem: Problem }) {
  return (
    <div class="note bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <PlainText text={withLocalTimes(problem.message)} />
        </p>
        {problem.next !== null && (
          <p>
            <PlainText text={problem.next} />
          </p>
        )}
      </div>
    </div>
  );
}

/** Why there is nothing to show. */
export function Absent({ answer }: { readonly answer: Answer<unknown> }) {
  const { problem } = answer;
  if (problem === null)
    return (
      <p class="loading" aria-busy="true">
        Loading …
      </p>
    );
  if (problem.status === 401) {
    return (
      <Empty title="This page needs a new address">
        <p>
          The server requires tokens. Run <code>deepwork dashboard</code> in the project and open
          the address that it prints.
        </p>
      </Empty>
    );
  }
  if (problem.status === 0) {
    return (
      <Empty title="The server is away, and this was not seen before">
        <p>The page shows it as soon as the server is back.</p>
      </Empty>
    );
  }
  return <ProblemNote problem={problem} />;
}

/** Above content that could not be refreshed. */
export function AgeNote({ answer }: { readonly answer: Answer<unknown> }) {
  const { problem, value, at } = answer;
  if (problem === null || value === null) return null;
  if (problem.status !== 0) return <ProblemNote problem={problem} />;
  return (
    <p class="note quiet" role="status">
      <Icon name="pause" />
      <span>The server is away. This is how it looked at {exactTime(at)}.</span>
    </p>
  );
}
