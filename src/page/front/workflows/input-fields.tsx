// Fields for the inputs of a workflow to start: a checkbox for a boolean, a list for an enum, a number,
// or text. Defaults are filled in.

import { useId } from 'preact/hooks';
import type { ListedVariable } from '../../../board/run.ts';

/** What was entered, by name; untouched fields are not in it. */
export type Entered = Readonly<Record<string, string | boolean>>;

export interface InputFieldsProps {
  readonly inputs: readonly ListedVariable[];
  readonly entered: Entered;
  onEnter(name: string, value: string | boolean): void;
}

export function InputFields({ inputs, entered, onEnter }: InputFieldsProps) {
  return inputs.map((input) => (
    <InputField
      key={input.name}
      input={input}
      value={entered[input.name] ?? initialOf(input)}
      onEnter={(value) => onEnter(input.name, value)}
    />
  ));
}

/** The server reads text by the declared type. */
export function inputsToSend(inputs: readonly ListedVariable[], entered: Entered): Entered {
  return Object.fromEntries(
    inputs.flatMap((input): [string, string | boolean][] => {
      const value = entered[input.name] ?? initialOf(input);
      const isUntouched = entered[input.name] === undefined && !input.required;
      return value === '' || (value === false && isUntouched) ? [] : [[input.name, value]];
    }),
  );
}

function initialOf({ type, enum: values, default: initial }: ListedVariable): string | boolean {
  if (type === 'boolean' && values === null) return initial === true;
  return initial === null ? '' : String(initial);
}

interface InputFieldProps {
  readonly input: ListedVariable;
  readonly value: string | boolean;
  onEnter(value: string | boolean): void;
}

function InputField({ input, value, onEnter }: InputFieldProps) {
  const id = useId();
  const { name, description, required } = input;
  if (typeof value === 'boolean') {
    return (
      <div class="input check">
        <input
          id={id}
          type="checkbox"
          checked={value}
          onChange={(event) => onEnter(event.currentTarget.checked)}
        />
        <label class="field" for={id}>
          <code>{name}</code> {description}
        </label>
      </div>
    );
  }
  return (
    <div class="input">
      <label class="field" for={id}>
        <code>{name}</code> {description} {required && <em>(required)</em>}
      </label>
      {input.enum === null ? (
        <TypedField input={input} id={id} value={value} onEnter={onEnter} />
      ) : (
        <ChosenField input={input} id={id} value={value} onEnter={onEnter} />
      )}
    </div>
  );
}

interface OneFieldProps extends InputFieldProps {
  readonly id: string;
  readonly value: string;
}

function TypedField({ input: { type, required }, id, value, onEnter }: OneFieldProps) {
  const enter = (event: { readonly currentTarget: HTMLInputElement }) =>
    onEnter(event.currentTarget.value);
  const field = { id, required, value, onInput: enter };
  if (type === 'number') return <input type="number" step="any" {...field} />;
  return (
    <input type="text" placeholder={type === 'file' ? 'A path in the project' : ''} {...field} />
  );
}

function ChosenField({ input, id, value, onEnter }: OneFieldProps) {
  const { required, enum: values, default: initial } = input;
  return (
    <select
      id={id}
      required={required}
      value={value}
      onChange={(event) => onEnter(event.currentTarget.value)}
    >
      {initial === null && <option value="">{required ? 'Choose …' : 'None'}</option>}
      {values?.map((each) => (
        <option key={String(each)} value={String(each)}>
          {String(each)}
        </option>
      ))}
    </select>
  );
}
