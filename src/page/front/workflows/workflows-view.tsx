// The workflows of the project: their drawings, the problems of their files, and how to start one.

import { CopyButton } from '../parts/copy-button.tsx';
import { Drawing } from '../parts/drawing.tsx';
import { Fold } from '../parts/fold.tsx';
import { Icon } from '../parts/icon.tsx';
import { Absent, AgeNote, Empty } from '../parts/notes.tsx';
import {
  type DefinedWorkflow,
  type DefinitionProblem,
  type Definitions,
  PATHS,
} from '../server/answers.ts';
import { useAnswer } from '../store/page-state.ts';
import { Inputs } from './inputs.tsx';
import { StartRun } from './start-run.tsx';

export function WorkflowsView() {
  const answer = useAnswer<Definitions>(PATHS.definitions);
  if (answer.value === null) return <Absent answer={answer} />;
  const { jobs, guides, can_start: canStart } = answer.value;
  return (
    <div class="workflows">
      <h1>Workflows</h1>
      <AgeNote answer={answer} />
      {jobs.length + guides.length === 0 && <NoWorkflows />}
      {jobs.map(({ name, summary, workflows, problems }) => (
        <section key={name} class="job" aria-label={`Job ${name}`}>
          <h2>{name}</h2>
          {summary !== '' && <p class="soft">{summary}</p>}
          <Problems problems={problems} />
          {workflows.map((workflow) => (
            <Workflow key={workflow.name} job={name} workflow={workflow} canStart={canStart} />
          ))}
        </section>
      ))}
      {guides.length > 0 && (
        <section class="job" aria-labelledby="guides">
          <h2 id="guides">Guides</h2>
          {guides.map(({ id, title, drawing_svg, problems }) => (
            <Guide key={id} id={id} title={title} drawing={drawing_svg} problems={problems} />
          ))}
        </section>
      )}
    </div>
  );
}

interface WorkflowProps {
  readonly job: string;
  readonly workflow: DefinedWorkflow;
  readonly canStart: boolean;
}

function Workflow({ job, workflow, canStart }: WorkflowProps) {
  return (
    <Fold
      class="workflow"
      summary={
        <>
          <strong>{workflow.name}</strong> <span class="soft">{workflow.summary}</span>
        </>
      }
      content={() => (
        <>
          {workflow.start !== '' && (
            <div class="start">
              <span class="soft">To start it, tell your agent</span>
              <pre>{workflow.start}</pre>
              <CopyButton text={workflow.start} />
            </div>
          )}
          <Inputs inputs={workflow.inputs ?? []} />
          {canStart && (
            <StartRun workflow={`${job}/${workflow.name}`} inputs={workflow.inputs ?? []} />
          )}
          <Drawing svg={workflow.drawing_svg} label={`Drawing of ${workflow.name}`} />
        </>
      )}
    />
  );
}

interface GuideProps {
  readonly id: string;
  readonly title: string;
  readonly drawing: string;
  readonly problems: readonly DefinitionProblem[];
}

function Guide({ id, title, drawing, problems }: GuideProps) {
  return (
    <>
      <Fold
        class="workflow"
        summary={
          <>
            <strong>{id}</strong> <span class="soft">{title}</span>
          </>
        }
        content={() =>
          drawing === '' ? (
            <p class="soft">It cannot be drawn before its problems are fixed.</p>
          ) : (
            <Drawing svg={drawing} label={`Drawing of ${id}`} />
          )
        }
      />
      <Problems problems={problems} />
    </>
  );
}

function Problems({ problems }: { readonly problems: readonly DefinitionProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul class="problems">
      {problems.map(({ file, line, column, message }) => (
        <li key={`${file} ${line} ${column} ${message}`}>
          <Icon name="warning" label="Problem" />
          <span>
            <code>{[file, line, column].filter((part) => part !== null).join(':')}</code> {message}
          </span>
        </li>
      ))}
    </ul>
  );
}

function NoWorkflows() {
  return (
    <Empty title="No workflows here yet">
      <p>
        <code>deepwork init</code> sets the project up and can bring a first job;{' '}
        <code>.deepwork/jobs/&lt;name&gt;/job.yml</code> is where you write your own.
      </p>
    </Empty>
  );
}
