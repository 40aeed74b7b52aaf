// The inputs of a workflow, each with the values that it takes.

import type { ListedVariable } from '../../../board/run.ts';

export function Inputs({ inputs }: { readonly inputs: readonly ListedVariable[] }) {
  if (inputs.length === 0) return null;
  return (
    <section class="inputs" aria-label="Inputs">
      <h3>Inputs</h3>
      <dl>
        {inputs.map((input) => (
          <div key={input.name}>
            <dt>
              <code>{input.name}</code>
            </dt>
            <dd>
              {input.description} <span class="soft">{whatToGive(input)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** `low or high; low if it is not given`. */
function whatToGive({ type, enum: values, required, default: initial }: ListedVariable) {
  const what = values === null ? type : values.join(' or ');
  const need = required ? 'required' : initial === null ? 'optional' : `${initial} if not given`;
  return `${what}; ${need}`;
}
